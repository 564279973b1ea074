"""Loads restricted to the neighbourhood of given entities."""

from __future__ import annotations
