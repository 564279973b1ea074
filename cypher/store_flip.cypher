// The next generation: the last statement of a flip.
// Parameters: generation. Columns: none.
MATCH (s:HydraStore {id: 0})
SET s.generation = $generation
