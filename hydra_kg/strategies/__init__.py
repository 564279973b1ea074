"""Strategies: for each paper, which steps run, in which order and with which parameters."""
