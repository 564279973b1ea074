"""The Wikidata loaders: truthy N-Triples and JSON dumps."""

from __future__ import annotations
