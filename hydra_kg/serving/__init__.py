"""What programs reach over a protocol: bounded answers, facts by page, and the MCP server."""
