// Note that a load is being removed, so that readers who still hold it notice. Comes after store_lock in the same
// transaction; no row if it is ready, or somebody took it up meanwhile.
// Parameters: id, owner (as it was seen). Columns: id.
MATCH (l:HydraLoad {id: $id})
WHERE l.state <> 'ready' AND (l.owner = $owner OR l.purged)
SET l.purged = true, l.state = 'dropped', l.owner = ''
RETURN l.id AS id
