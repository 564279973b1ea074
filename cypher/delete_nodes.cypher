// Forget what a load says about the nodes of one chunk, and remove the chunk. Nodes that no load knows any more go,
// unless an explored path still points at them (under their old name); others show a name that another load has for
// them. Comes after
// store_lock in the same transaction, because nodes that others find meanwhile must not go.
// Parameters: load, n, span (of parts). Columns: none.
MATCH (c:HydraLoadChunk {load: $load, n: $n})
WITH c, c.subjects AS subjects
CALL (subjects) {
  UNWIND subjects AS id
  MATCH (n:HydraEntity {id: id})
  SET n.parts = [p IN n.parts WHERE p / $span <> $load]
  FOREACH (x IN CASE WHEN none(p IN n.parts WHERE p % 2 = 1) THEN [1] ELSE [] END | REMOVE n:HydraMediator)
  SET n.name = coalesce(COLLECT {
    MATCH (x:HydraName {node: n.id}) WHERE x.kind IN [0, 2] AND x.text <> ''
    RETURN x.text ORDER BY x.load, x.kind, x.text LIMIT 1
  }[0], CASE WHEN size(n.parts) = 0 THEN n.name END)
  WITH n WHERE size(n.parts) = 0 AND NOT EXISTS { (n)--() }
  DELETE n
}
DELETE c
