// Keeps in the graph that a migration was applied, as the last of the chain.
// Parameters: before (version of the one before, BASELINE for the first), version, description, source, checksum, by, seconds. Columns: version.
MERGE (before:__Neo4jMigration {version: $before})
CREATE (m:__Neo4jMigration {version: $version, description: $description, type: 'CYPHER', source: $source,
                            checksum: $checksum})
CREATE (before)-[:MIGRATED_TO {at: datetime({timezone: 'UTC'}), in: duration({seconds: $seconds}), by: $by,
                               connectedAs: $by}]->(m)
RETURN m.version AS version
