// Remove the facts of one chunk of a load, and the chunk with them.
// Parameters: load, n, low, high (handles). Columns: none.
MATCH (c:HydraLoadChunk {load: $load, n: $n})
WITH c, c.subjects AS subjects
CALL (subjects) {
  UNWIND subjects AS id
  WITH DISTINCT id
  MATCH (a:HydraEntity {id: id})-[r]->(:HydraEntity)
  WHERE $low <= r.h AND r.h < $high
  DELETE r
}
DELETE c
