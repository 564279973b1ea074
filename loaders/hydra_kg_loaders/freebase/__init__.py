"""The Freebase loader: its rules, its schema, its neighbourhoods."""

from __future__ import annotations
