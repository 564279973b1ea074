"""Vector indexes behind the ``VectorIndex`` port."""

from __future__ import annotations
