"""Conflict and containment between claims, and the values that are believed in the end."""
