// Members of the fused classes of a generation that is being made, in one transaction with its flip.
// Parameters: generation, n, member, representative (lists). Columns: none.
CREATE (:HydraClassChunk {generation: $generation, n: $n, member: $member, representative: $representative})
