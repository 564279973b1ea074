// How many names, aliases and titles (kinds 0, 1, 2) a load has.
// Parameters: load. Columns: names.
MATCH (x:HydraName) USING INDEX x:HydraName(load) WHERE x.load = $load AND x.kind < 3
RETURN count(x) AS names
