// All loads with their state and what is kept about them.
// Scans: HydraLoad. Parameters: none. Columns: load (a map), now (the server's clock, ms).
MATCH (l:HydraLoad)
RETURN l {.*} AS load, timestamp() AS now ORDER BY l.id
