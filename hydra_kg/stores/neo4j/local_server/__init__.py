"""A Neo4j server of the user's own: Java, jars, configuration, start and stop."""
