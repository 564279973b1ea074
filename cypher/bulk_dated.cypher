// The date of a kept answer that was carried over from another database.
// Parameters: id, created. Columns: none.
MATCH (q:HydraQuestion {id: $id})
SET q.created = $created
