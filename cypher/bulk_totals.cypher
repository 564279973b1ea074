// How many nodes and relationships there are, those of migrations left out, from the counts that the server keeps.
// Parameters: none. Columns: what (nodes, relationships), n.
CALL () {
  MATCH (n) WITH count(n) AS n RETURN 'nodes' AS what, n
  UNION ALL MATCH (m:__Neo4jMigration) WITH count(m) AS n RETURN 'nodes' AS what, -n AS n
  UNION ALL MATCH (m:__Neo4jMigrationsLock) WITH count(m) AS n RETURN 'nodes' AS what, -n AS n
  UNION ALL MATCH ()-[r]->() WITH count(r) AS n RETURN 'relationships' AS what, n
  UNION ALL MATCH ()-[m:MIGRATED_TO]->() WITH count(m) AS n RETURN 'relationships' AS what, -n AS n
}
RETURN what, sum(n) AS n
