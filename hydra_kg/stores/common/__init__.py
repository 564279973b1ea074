"""What both stores do alike."""

from __future__ import annotations
