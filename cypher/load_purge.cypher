// Note that a dropped load is being removed, so that readers who still hold it notice.
// Parameters: id. Columns: none.
MATCH (l:Load {id: $id})
SET l.purged = true, l.state = 'dropped'
