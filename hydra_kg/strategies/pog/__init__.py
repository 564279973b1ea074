"""Paths-over-Graph: topic, LLM-supplemented and node-expansion explorations with three-step pruning."""
