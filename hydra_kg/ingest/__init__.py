"""Turn files into a ready load: reading, cleaning, sorting, reconciliation, rejects and resuming."""
