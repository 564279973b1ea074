"""Relation paths of a subgraph: searched, constrained by topics, filtered by answer type."""
