// Give a load back without finishing it.
// Parameters: id. Columns: none.
MATCH (l:Load {id: $id})
SET l.owner = ''
