// The mediators among the members of fused same-as classes in one generation.
// Parameters: generation. Columns: id.
MATCH (c:HydraClassChunk {generation: $generation})
UNWIND c.member AS id
MATCH (m:HydraMediator {id: id})
RETURN DISTINCT m.id AS id
