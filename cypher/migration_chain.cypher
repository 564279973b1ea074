// The migrations that were applied, in order; the first node of the chain, BASELINE, is none.
// Scans: __Neo4jMigration (a node per migration). Parameters: none. Columns: version, source, checksum, at.
MATCH (m:__Neo4jMigration)
OPTIONAL MATCH ()-[applied:MIGRATED_TO]->(m)
WITH m, applied WHERE m.version <> 'BASELINE'
RETURN m.version AS version, m.source AS source, m.checksum AS checksum, toString(applied.at) AS at
ORDER BY m.version
