"""From files to a ready load: reading, cleaning, sorting, reconciliation, rejects, resume."""

from __future__ import annotations
