// Whether the server answers.
// Parameters: none.
// Columns: one (always 1).
RETURN 1 AS one
