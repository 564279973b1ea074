"""Verbs of ``hydra-kg db``: backup, copy, compact, doctor, and the local server."""

from __future__ import annotations
