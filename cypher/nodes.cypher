// What loads say about nodes in numbers: one part a load, see hydra_kg/stores/neo4j/reads/nodes.py.
// Parameters: ids. Columns: lists id, part (one entry a part).
UNWIND $ids AS id
MATCH (n:Entity {id: id})
UNWIND n.parts AS part
RETURN collect(id) AS id, collect(part) AS part
