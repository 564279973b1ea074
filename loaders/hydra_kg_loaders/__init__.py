"""Loaders that come with hydra-kg, one package per format, found through the entry points ``hydra_kg.loaders``."""
