// Remove some words of a load's passages.
// Parameters: load, limit. Columns: removed.
MATCH (w:HydraPassageWord) WHERE w.load = $load AND w.text >= ''
WITH w LIMIT $limit
DELETE w
RETURN count(*) AS removed
