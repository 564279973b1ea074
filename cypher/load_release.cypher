// Give a load back without finishing it.
// Parameters: id, owner. Columns: none.
MATCH (l:HydraLoad {id: $id})
WHERE l.owner = $owner
SET l.owner = ''
