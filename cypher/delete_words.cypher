// Remove some rows of a load: words.
// Parameters: load, limit. Columns: removed.
MATCH (x:HydraWord) WHERE x.load = $load
WITH x LIMIT $limit
DELETE x
RETURN count(*) AS removed
