// Make a load ready: part of the flip. No row if it is somebody else's by now, or was removed.
// Parameters: id, owner, details (JSON), file, flipped. Columns: id.
MATCH (l:HydraLoad {id: $id})
WHERE l.state = 'staging' AND l.owner = $owner
SET l.state = 'ready', l.details = $details, l.file = $file, l.flipped = $flipped, l.owner = ''
RETURN l.id AS id
