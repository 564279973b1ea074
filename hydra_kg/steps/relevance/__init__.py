"""Relevance of relation paths to a question or to one clause of it."""
