// A question, and the whole answer beside it, where nobody who browses has to load it.
// Parameters: properties, doc (compressed JSON). Columns: none.
CREATE (q:HydraQuestion)
SET q = $properties
CREATE (:HydraKeptAnswer {id: $properties.id, doc: $doc})
