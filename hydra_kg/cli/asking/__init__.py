"""Verbs about answers: ask, show, confirm, and what opens in a browser."""
