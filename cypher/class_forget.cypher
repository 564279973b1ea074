// Remove the classes of a generation that nobody reads any more.
// Parameters: generation. Columns: none.
MATCH (c:HydraClassChunk) WHERE c.generation < $generation
DELETE c
