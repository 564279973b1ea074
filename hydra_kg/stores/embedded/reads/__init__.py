"""Reads of a snapshot of the embedded store: names, entities, cuts, facts, passages."""
