"""Outcomes without an answer."""
