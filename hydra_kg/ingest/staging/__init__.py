"""A load between reading and writing: spooled, sorted, de-duplicated, in memory or on disk."""
