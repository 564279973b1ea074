// Waits until all indexes are filled.
// Parameters: none. Columns: none.
CALL db.awaitIndexes(3600)
