"""Verbs of ``hydra-kg eval``: runs, reports, gold queries, fusion."""

from __future__ import annotations
