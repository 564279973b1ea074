"""Checks of texts against a store, and of answers that somebody expected and did not get."""
