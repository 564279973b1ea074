// Forget what a load says about the nodes of one chunk, and remove the chunk. Nodes that no load knows any more go,
// unless an explored path still points at them.
// Parameters: load, n, span (of parts). Columns: none.
MATCH (c:LoadChunk {load: $load, n: $n})
WITH c, c.subjects AS subjects
CALL (subjects) {
  UNWIND subjects AS id
  MATCH (n:Entity {id: id})
  SET n.parts = [p IN n.parts WHERE p / $span <> $load]
  FOREACH (x IN CASE WHEN none(p IN n.parts WHERE p % 2 = 1) THEN [1] ELSE [] END | REMOVE n:Mediator)
  WITH n WHERE size(n.parts) = 0 AND NOT EXISTS { (n)--() }
  DELETE n
}
DELETE c
