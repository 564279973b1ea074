"""The Wikipedia loader: dumps read in pieces, wikitext cleaned."""

from __future__ import annotations
