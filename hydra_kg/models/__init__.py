"""Embedders and language models behind the ports: the only room that runs a model."""
