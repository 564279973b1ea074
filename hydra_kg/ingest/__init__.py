"""From files to a ready load: reading, cleaning, sorting, reconciliation, rejects, resume."""
