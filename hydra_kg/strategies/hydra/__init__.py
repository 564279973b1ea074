"""HydraRAG: structured and textual evidence in three explorations, verified across sources."""
