"""The HTTP service: answers as JSON, events or jobs, facts of a store, a page, and MCP, with keys and limits."""
