"""Stored pages read for the answer to a plain question."""

from __future__ import annotations
