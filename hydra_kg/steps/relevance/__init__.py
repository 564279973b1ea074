"""How relevant a relation path is to a question or to one clause of it."""

from __future__ import annotations
