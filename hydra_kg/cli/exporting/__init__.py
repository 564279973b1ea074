"""Answers and claims in the formats of others."""
