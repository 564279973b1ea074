// Remove some literal facts of a load.
// Parameters: load, limit. Columns: removed.
MATCH (v:HydraValue) WHERE v.load = $load AND v.row >= 0
WITH v LIMIT $limit
DELETE v
RETURN count(*) AS removed
