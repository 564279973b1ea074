// The generation, and the one whose classes the nodes show: -1 while they are being changed, or if nobody knows.
// Parameters: none. Columns: generation, shown.
MATCH (s:HydraStore {id: 0})
RETURN s.generation AS generation, coalesce(s.shown, -1) AS shown
