"""Nested JSON and XML as tables that refer to each other: an SBOM, orders with lines, GeoJSON, MARCXML."""
