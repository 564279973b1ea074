// How many nodes and relationships there are, those of migrations left out, from the counts that the server keeps.
// Scans: __Neo4jMigration, __Neo4jMigrationsLock (a few nodes). Parameters: none. Columns: what (nodes, relationships), n.
CALL () {
  MATCH (n) RETURN 'nodes' AS what, count(*) AS n
  UNION ALL MATCH (m:__Neo4jMigration) RETURN 'nodes' AS what, -count(*) AS n
  UNION ALL MATCH (m:__Neo4jMigrationsLock) RETURN 'nodes' AS what, -count(*) AS n
  UNION ALL MATCH ()-[r]->() RETURN 'relationships' AS what, count(*) AS n
  UNION ALL MATCH ()-[m:MIGRATED_TO]->() RETURN 'relationships' AS what, -count(*) AS n
}
RETURN what, sum(n) AS n
