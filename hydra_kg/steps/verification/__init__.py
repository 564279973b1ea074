"""Paths verified across sources, and pruned by support and competition."""
