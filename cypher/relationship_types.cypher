// The relationship types that are there: a database can have 65,536.
// Parameters: none. Columns: types (a list).
CALL db.relationshipTypes() YIELD relationshipType
RETURN collect(relationshipType) AS types
