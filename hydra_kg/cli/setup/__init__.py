"""Verbs that get somebody started: demo, settings, strategies, and a server up and down."""
