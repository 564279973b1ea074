"""Commands that keep running for other programs: serve, mcp; and the keys of a service."""
