// A kept answer, whole.
// Parameters: id. Columns: doc (compressed JSON).
MATCH (k:HydraKeptAnswer {id: $id})
RETURN k.doc AS doc
