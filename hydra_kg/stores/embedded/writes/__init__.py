"""Turns a staged load into a segment on disk."""
