// The mediators next to nodes by facts of some loads, with what loads say about each: see hydra_kg/stores/neo4j/reads/nodes.py.
// Parameters: ids, span (handles of one load), loads, also (nodes that are not labelled but count as mediators, too).
// Columns: lists id, part (one entry a part); chained (ids of those that are next to a mediator, once a part).
UNWIND $ids AS id
MATCH (a:HydraEntity {id: id})-[r]-(m)
WHERE (m:HydraMediator OR (size($also) > 0 AND m.id IN $also)) AND r.h IS :: INTEGER NOT NULL AND r.h / $span IN $loads
WITH DISTINCT m
WITH m, m:HydraMediator AND EXISTS { (m)--(:HydraMediator) } AS chained
UNWIND m.parts AS part
RETURN collect(m.id) AS id, collect(part) AS part, collect(CASE WHEN chained THEN m.id END) AS chained
