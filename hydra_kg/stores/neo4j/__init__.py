"""The Neo4j store: reads, writes and migrations on any server, and a local server for users who have none."""
