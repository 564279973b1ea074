"""Which claims conflict or contain one another, and the values that are believed after all."""

from __future__ import annotations
