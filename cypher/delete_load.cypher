// Remove a load of which nothing is left, and sources that no load has any more.
// Parameters: id. Columns: none.
MATCH (l:HydraLoad {id: $id})
OPTIONAL MATCH (l)-[:STATES]->(s:HydraSource)
WITH l, collect(s) AS sources
DETACH DELETE l
WITH sources
UNWIND sources AS s
WITH s WHERE NOT EXISTS { (:HydraLoad)-[:STATES]->(s) }
DETACH DELETE s
