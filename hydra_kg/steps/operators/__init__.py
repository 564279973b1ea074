"""Carries out question plans on columns: each operator takes sets and gives one, with what it did in words."""

from __future__ import annotations

from hydra_kg.steps.operators.results.executed import Executed
from hydra_kg.steps.operators.run import execute

__all__ = ["Executed", "execute"]
