// The pages whose passages paths cite.
// Parameters: documents (id, title, url, source), rows (path: id, document: id, cites: properties). Columns: none.
UNWIND $documents AS document
MERGE (d:HydraDocument {id: document.id})
SET d = document
WITH count(*) AS made
UNWIND $rows AS row
MATCH (d:HydraDocument {id: row.document})
MATCH (w:HydraPath {id: row.path})
CREATE (w)-[c:CITES]->(d)
SET c = row.cites
