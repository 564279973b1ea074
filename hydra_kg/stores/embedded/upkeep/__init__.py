"""Maintenance of a store: doctor, compaction, garbage collection."""
