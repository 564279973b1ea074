"""Relation paths of a subgraph: searched, constrained by topics, filtered by answer type."""

from __future__ import annotations
