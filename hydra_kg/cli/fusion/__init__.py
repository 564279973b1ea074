"""Verbs that judge conflicting claims and export facts."""
