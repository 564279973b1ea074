"""Halves of a question, of which the graph answers one and stored text the other."""

from __future__ import annotations
