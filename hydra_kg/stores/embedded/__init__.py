"""The store that needs no server: immutable column segments, one per load, and SQLite."""
