"""A load between reading and writing: copied to disk, sorted and without duplicates, in memory or on disk."""
