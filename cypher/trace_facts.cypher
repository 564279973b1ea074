// Facts that a pushed question used, shown between what stands on its paths. They carry no handle (h), so that no
// reader of this store ever sees them; a fact that the store has itself stays as it is.
// Parameters: rows (subject id, object id, type, fid, properties). Columns: none.
UNWIND $rows AS row
CALL (row) {
  MATCH (a:HydraEntity {id: row.subject}) RETURN a
  UNION
  MATCH (a:HydraMention {id: row.subject}) WHERE NOT EXISTS { MATCH (:HydraEntity {id: row.subject}) } RETURN a
}
CALL (row) {
  MATCH (b:HydraEntity {id: row.object}) RETURN b
  UNION
  MATCH (b:HydraMention {id: row.object}) WHERE NOT EXISTS { MATCH (:HydraEntity {id: row.object}) } RETURN b
}
WITH row, a, b
CALL (row, a, b) {
  OPTIONAL MATCH (a)-[r]->(b) WHERE r.fid = row.fid
  WITH count(r) AS there WHERE there = 0
  CREATE (a)-[r:$(row.type)]->(b)
  SET r = row.properties
}
