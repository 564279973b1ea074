// The members of fused same-as classes in one generation. Classes of one member are not listed.
// Parameters: generation. Columns: member, representative (lists of equal length).
MATCH (c:HydraClassChunk {generation: $generation})
RETURN c.member AS member, c.representative AS representative ORDER BY c.n
