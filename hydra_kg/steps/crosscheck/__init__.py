"""Compare what text states with what was asked, and conclude for an answer of the graph."""

from __future__ import annotations
