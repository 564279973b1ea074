"""Baselines to compare with: the model alone, text retrieval, similarity, chain of knowledge."""
