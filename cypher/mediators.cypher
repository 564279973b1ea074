// The mediators next to nodes by facts of some loads, with what loads say about each: see hydra_kg/stores/neo4j/reads/nodes.py.
// Parameters: ids, span (handles of one load), loads, also (nodes that are not labelled but count as mediators, too).
// Columns: lists id, part (one entry a part); chained (ids of those that are next to a mediator, once a part).
UNWIND $ids AS id
MATCH (a:Entity {id: id})-[r]-(m)
WHERE (m:Mediator OR (size($also) > 0 AND m.id IN $also)) AND r.h / $span IN $loads
WITH DISTINCT m
WITH m, m:Mediator AND EXISTS { (m)--(:Mediator) } AS chained
UNWIND m.parts AS part
RETURN collect(m.id) AS id, collect(part) AS part, collect(CASE WHEN chained THEN m.id END) AS chained
