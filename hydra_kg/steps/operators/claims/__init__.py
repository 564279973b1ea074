"""Evidence for a claim in addition to a stated relation: kinds of things, their number, and when they existed."""
