// Remove some passages of a load.
// Parameters: load, limit. Columns: removed.
MATCH (p:HydraPassage) WHERE p.load = $load AND p.n >= 0
WITH p LIMIT $limit
DELETE p
RETURN count(*) AS removed
