// What loads say about nodes in numbers: one part a load, see hydra_kg/stores/neo4j/nodes.py.
// Parameters: ids. Columns: lists id, parts.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN collect(id) AS id, collect(n.parts) AS parts
