"""The data model of fusion: claims as sources make them, beliefs as a method returns them."""

from __future__ import annotations
