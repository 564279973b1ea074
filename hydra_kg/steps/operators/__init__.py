"""Carries out question plans on columns: each operator takes sets and gives one, with what it did in words."""

from __future__ import annotations

from hydra_kg.steps.operators.plan_execution import execute
from hydra_kg.steps.operators.results.executed_plan import Executed

__all__ = ["Executed", "execute"]
