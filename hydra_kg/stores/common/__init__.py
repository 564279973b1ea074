"""Rules and helpers that both the embedded and the Neo4j store use."""
