"""Sentence embedders, their checked weights, their cache, and the learned relation matrix."""

from __future__ import annotations
