// No version of the schema is ever recorded twice, even where two programs migrate at once.
// Parameters: none. Columns: none.
CREATE CONSTRAINT hydra_migration_version IF NOT EXISTS FOR (m:__Neo4jMigration) REQUIRE m.version IS UNIQUE
