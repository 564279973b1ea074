"""Helpers without any domain knowledge: columns, package data, sidecar databases, recordings."""
