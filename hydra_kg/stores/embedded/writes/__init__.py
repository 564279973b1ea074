"""How a staged load becomes a segment on disk."""

from __future__ import annotations
