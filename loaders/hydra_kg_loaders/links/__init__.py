"""Loaders of links between sources: sameAs links and Wikipedia sitelinks."""
