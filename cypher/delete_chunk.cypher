// Remove a chunk whose rows are found by their load.
// Parameters: load, n. Columns: none.
MATCH (c:HydraLoadChunk {load: $load, n: $n})
DELETE c
