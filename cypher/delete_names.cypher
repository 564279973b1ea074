// Remove some rows of a load: names.
// Parameters: load, limit. Columns: removed.
MATCH (x:HydraName) WHERE x.load = $load
WITH x LIMIT $limit
DELETE x
RETURN count(*) AS removed
