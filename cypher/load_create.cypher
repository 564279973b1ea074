// Begin a load. Comes after store_lock in the same transaction.
// Parameters: name, sources (JSON), owner, created, rows (of a chunk). Columns: id.
MATCH (s:HydraStore {id: 0})
SET s.loads = s.loads + 1
CREATE (l:HydraLoad {id: s.loads, name: $name, state: 'staging', sources: $sources, owner: $owner, beat: timestamp(),
                created: $created, rows: $rows, facts: 0, checksum: '', flipped: '', file: '', details: '{}',
                counts: '{}', texts: '{}'})
RETURN l.id AS id
