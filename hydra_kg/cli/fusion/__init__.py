"""Commands that judge conflicting claims and export facts."""
