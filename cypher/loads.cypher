// All loads with their state and what is kept about them.
// Scans: Load. Parameters: none. Columns: load (a map), now (the server's clock, ms).
MATCH (l:Load) WHERE l.beat IS NOT NULL AND l.state IS NOT NULL AND l.name IS NOT NULL // what others call so has none
RETURN l {.*} AS load, timestamp() AS now ORDER BY l.id
