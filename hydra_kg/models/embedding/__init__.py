"""Sentence embedders, their checked weights, their cache, and the learned relation matrix."""
