// Take the write lock of the store for the rest of the transaction; makes the store where there is none.
// Parameters: none. Columns: generation, loads (the number of the newest load).
MERGE (s:HydraStore {id: 0})
  ON CREATE SET s.generation = 0, s.loads = 0
SET s.locked = timestamp()
RETURN s.generation AS generation, s.loads AS loads
