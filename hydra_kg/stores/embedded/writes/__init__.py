"""How a staged load becomes a segment on disk."""
