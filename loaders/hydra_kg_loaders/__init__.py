"""Loaders that come with hydra-kg: one room per format, found through the entry points ``hydra_kg.loaders``."""
