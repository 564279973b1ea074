// A kept answer, whole.
// Parameters: id. Columns: doc (compressed JSON).
MATCH (k:KeptAnswer {id: $id})
RETURN k.doc AS doc
