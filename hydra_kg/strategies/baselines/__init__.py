"""Baselines for comparison: the model alone, text retrieval, similarity, chain of knowledge."""
