// How many relationships of a type there are, from the counts that the server keeps.
// Parameters: none; TYPES: the type. Columns: relationships.
MATCH ()-[r/*TYPES*/]->() RETURN count(*) AS relationships
