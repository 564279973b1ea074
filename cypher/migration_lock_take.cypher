// Waits for other migrations to end and keeps new ones waiting as long as the transaction is open.
// Scans: __Neo4jMigrationsLock (one node, rarely two). Parameters: by. Columns: locks.
MATCH (l:__Neo4jMigrationsLock)
WITH l ORDER BY elementId(l)
SET l.by = $by
RETURN count(l) AS locks
