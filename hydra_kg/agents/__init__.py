"""Agents that judge evidence: an offline one made of rules and vectors, and one that asks a language model."""
