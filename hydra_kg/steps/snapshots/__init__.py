"""Snapshots over snapshots: cached, sampled, overlaid with text edges, merged."""
