"""Verbs that fill a store: load, its mappings and reports, and the sources that are loaded."""
