"""Maintenance of a store: doctor, compaction, garbage collection."""

from __future__ import annotations
