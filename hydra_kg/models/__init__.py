"""Embedders and language models behind the ports: the only package that runs a model."""
