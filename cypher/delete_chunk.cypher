// Remove a chunk whose rows are found by their load.
// Parameters: load, n. Columns: none.
MATCH (c:LoadChunk {load: $load, n: $n})
DELETE c
