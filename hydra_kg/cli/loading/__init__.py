"""Verbs that fill a store: load, its mappings and reports, and the sources that are loaded."""

from __future__ import annotations
