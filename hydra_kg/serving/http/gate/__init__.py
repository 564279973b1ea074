"""Checks before routes: every request passes them. They need options, problems as replies, and counts."""
