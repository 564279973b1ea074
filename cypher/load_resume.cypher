// Take up a load that a killed process left, or give it back (owner "").
// Parameters: id, sources (JSON), owner. Columns: none.
MATCH (l:HydraLoad {id: $id})
SET l.owner = $owner, l.sources = $sources, l.beat = timestamp()
