// Remove some rows of a load: files.
// Parameters: load, limit. Columns: removed.
MATCH (x:HydraLoadFile) WHERE x.load = $load
WITH x LIMIT $limit
DELETE x
RETURN count(*) AS removed
