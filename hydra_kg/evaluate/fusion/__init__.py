"""Evaluation of truth discovery: data sets, corruption, scores, curves, stages and their page."""

from __future__ import annotations
