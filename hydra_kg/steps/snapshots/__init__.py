"""Snapshots over snapshots: cached, sampled, overlaid with text edges, merged."""

from __future__ import annotations
