"""Commands that fill a store: load, its mappings and reports, and the loaded sources."""
