"""The HTTP service: answers as JSON, events or jobs, what a store states, a page, and MCP, behind keys and limits."""
