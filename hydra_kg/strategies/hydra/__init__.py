"""HydraRAG: structured and textual evidence from three explorations, verified across sources."""
