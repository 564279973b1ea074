// Note whose classes the nodes show. Comes after store_lock in the same transaction.
// Parameters: generation (-1: in the middle of a change). Columns: none.
MATCH (s:HydraStore {id: 0})
SET s.shown = $generation
