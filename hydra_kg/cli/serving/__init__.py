"""Verbs that keep running for other programs: mcp."""
