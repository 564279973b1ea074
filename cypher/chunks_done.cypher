// The chunks of a load that were committed.
// Parameters: load. Columns: lists n, check.
MATCH (c:HydraLoadChunk) WHERE c.load = $load AND c.n >= 0
RETURN collect(c.n) AS n, collect(c.check) AS check
