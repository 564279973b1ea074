"""Strings: folding, typos, literals, relation keys in words, control characters removed."""

from __future__ import annotations
