// Note a chunk of a load, in the transaction that writes it: the uniqueness constraint lets each be written once.
// Parameters: load, owner (who writes), n, check (of its content), subjects (node ids: of its rows, or what it
// touches). Columns: n; no row if the load is somebody else's by now (the lock comes before that question).
MATCH (l:HydraLoad {id: $load})
SET l.beat = timestamp()
WITH l WHERE l.owner = $owner
CREATE (c:HydraLoadChunk {load: $load, n: $n, check: $check, subjects: $subjects})
RETURN c.n AS n
