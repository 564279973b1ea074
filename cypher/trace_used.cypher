// One direct relationship for every fact and passage that a question used, for impact and staleness.
// Parameters: question, rows (node: id or null, document: id or null, used: properties). Columns: none.
MATCH (q:HydraQuestion {id: $question})
UNWIND $rows AS row
OPTIONAL MATCH (e:HydraEntity {id: row.node})
OPTIONAL MATCH (m:HydraMention {id: row.node})
OPTIONAL MATCH (d:HydraDocument {id: row.document})
WITH q, row, coalesce(e, m, d) AS end
CREATE (q)-[u:USED]->(end)
SET u = row.used
