"""Loads restricted to the neighbourhood of given entities."""
