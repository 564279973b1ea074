"""Writes a staged load to a server in chunks, resumes it, and removes it."""
