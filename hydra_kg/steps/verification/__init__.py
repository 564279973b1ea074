"""Paths verified across sources, and pruned by support and competition."""

from __future__ import annotations
