"""Serve programs over protocols: bounded answers, facts by page, and the MCP server."""
