"""Reads of a snapshot of the Neo4j store: names, entities, cuts, facts, passages."""
