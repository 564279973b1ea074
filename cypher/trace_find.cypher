// Ids of kept answers that begin with a text, the text itself first.
// Parameters: key. Columns: id.
MATCH (q:HydraQuestion) WHERE q.id STARTS WITH $key
RETURN q.id AS id ORDER BY id LIMIT 6
