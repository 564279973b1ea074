"""HydraRAG: structured and textual evidence in three explorations, verified across sources."""

from __future__ import annotations
