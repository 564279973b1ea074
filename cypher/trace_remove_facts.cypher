// Remove the facts that came with a pushed question, unless another question uses them.
// Parameters: id. Columns: none.
MATCH (q:HydraQuestion {id: $id, pushed: true})-[:RAN|ANSWERED]->()-[:FOUND|BECAUSE]->(w:HydraPath)
WHERE NOT w:HydraPruned
WITH DISTINCT q, w
MATCH (w)-[:FROM|VIA|HOP]->(a)
WITH DISTINCT q, w, a
MATCH (w)-[:FROM|VIA|HOP]->(b)
WITH DISTINCT q, w, a, b
MATCH (a)-[r]->(b) WHERE r.fid IN w.fids AND r.pushed = true
WITH DISTINCT q, r
WHERE NOT EXISTS { MATCH (other:HydraQuestion)-[u:USED]->() WHERE u.fid = r.fid AND other <> q }
DELETE r
