"""Verbs that judge conflicting claims and export facts."""

from __future__ import annotations
