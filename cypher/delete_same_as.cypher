// Remove the same-as links of one chunk of a load, and the chunk with them.
// Parameters: load, n. Columns: none.
MATCH (c:HydraLoadChunk {load: $load, n: $n})
WITH c, c.subjects AS subjects
CALL (subjects) {
  UNWIND subjects AS id
  WITH DISTINCT id
  MATCH (a:HydraEntity {id: id})-[r:SAME_AS]->(:HydraEntity)
  WHERE r.load = $load
  DELETE r
}
DELETE c
