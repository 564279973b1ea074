// What a question was answered with: each answer, the entity that it is, and the paths that lead to it.
// Parameters: question, rows (properties; node: id of what it is, or null; paths: ids of paths). Columns: none.
MATCH (q:HydraQuestion {id: $question})
UNWIND $rows AS row
CREATE (q)-[:ANSWERED]->(a:HydraAnswer)
SET a = row.properties
WITH a, row
OPTIONAL MATCH (e:HydraEntity {id: row.node})
OPTIONAL MATCH (m:HydraMention {id: row.node})
FOREACH (is IN CASE WHEN coalesce(e, m) IS NULL THEN [] ELSE [coalesce(e, m)] END | CREATE (a)-[:IS]->(is))
WITH a, row
UNWIND row.paths AS path
MATCH (w:HydraPath {id: path})
CREATE (a)-[:BECAUSE]->(w)
