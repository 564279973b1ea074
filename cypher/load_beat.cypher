// A sign of life of whoever writes a load.
// Parameters: id, owner. Columns: none.
MATCH (l:HydraLoad {id: $id})
WHERE l.owner = $owner
SET l.beat = timestamp()
