"""Strategies: which steps, in which order, with which parameters, for which paper."""
