"""Answers as graphs in Neo4j, and links that show them in its Browser."""
