"""Text as evidence: sentences and pages retrieved, ranked, and joined to the graph as paths."""

from __future__ import annotations
