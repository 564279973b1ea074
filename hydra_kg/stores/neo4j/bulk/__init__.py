"""Loads by ``neo4j-admin database import``: staged, written as CSV, imported here or elsewhere."""
