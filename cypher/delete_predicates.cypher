// Remove some rows of a load: predicates.
// Parameters: load, limit. Columns: removed.
MATCH (x:HydraPredicate) WHERE x.load = $load
WITH x LIMIT $limit
DELETE x
RETURN count(*) AS removed
