// Note what a load holds once all of it is written.
// Parameters: id, owner, facts, checksum, counts, texts (JSON). Columns: none.
MATCH (l:HydraLoad {id: $id})
WHERE l.owner = $owner
SET l.facts = $facts, l.checksum = $checksum, l.counts = $counts, l.texts = $texts, l.written = true, l.beat = timestamp()
