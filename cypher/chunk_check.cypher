// The content of one committed chunk, as a checksum.
// Parameters: load, n. Columns: check.
MATCH (c:HydraLoadChunk {load: $load, n: $n})
RETURN c.check AS check
