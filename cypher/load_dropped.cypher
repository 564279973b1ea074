// Make loads invisible: part of the flip. What they hold is removed afterwards.
// Parameters: ids, flipped. Columns: none.
UNWIND $ids AS id
MATCH (l:HydraLoad {id: id})
SET l.state = 'dropped', l.flipped = $flipped
