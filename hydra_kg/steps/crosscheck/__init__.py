"""What text states of what was asked, and what that means for an answer of the graph."""

from __future__ import annotations
