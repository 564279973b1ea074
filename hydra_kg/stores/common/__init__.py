"""What both stores do alike."""
