"""Loaders of links between sources: sameAs links and Wikipedia sitelinks."""

from __future__ import annotations
