// Make a load ready: part of the flip.
// Parameters: id, details (JSON), file, flipped. Columns: none.
MATCH (l:Load {id: $id})
SET l.state = 'ready', l.details = $details, l.file = $file, l.flipped = $flipped, l.owner = ''
