"""Pages of answers: one HTML file each, that loads nothing from elsewhere."""
