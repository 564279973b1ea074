// The nodes of homologous groups: what each source says of the attribute that was judged, and of which entity.
// Parameters: rows (exploration: id, subject and object: ids of nodes, voice: label, says: type, both of a fixed list,
// properties). Columns: none.
UNWIND $rows AS row
MATCH (x:HydraExploration {id: row.exploration})
OPTIONAL MATCH (e:HydraEntity {id: row.object})
OPTIONAL MATCH (m:HydraMention {id: row.object})
OPTIONAL MATCH (se:HydraEntity {id: row.subject})
OPTIONAL MATCH (sm:HydraMention {id: row.subject})
WITH x, row, coalesce(e, m) AS said, coalesce(se, sm) AS subject
CREATE (x)-[:HEARD]->(c:HydraClaim)
SET c = row.properties, c:$(row.voice)
CREATE (c)-[:$(row.says)]->(said)
CREATE (c)-[:ABOUT]->(subject)
