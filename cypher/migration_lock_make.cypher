// Makes sure that there is something to lock; two at once may make two, so the lock takes all there are.
// Scans: __Neo4jMigrationsLock (one node, rarely two). Parameters: none. Columns: none.
OPTIONAL MATCH (l:__Neo4jMigrationsLock)
WITH count(l) AS there WHERE there = 0
CREATE (:__Neo4jMigrationsLock {id: 'hydra-kg'})
