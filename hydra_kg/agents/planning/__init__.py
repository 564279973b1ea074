"""The offline grammar of questions: turn an English question with linked names into a plan, or into nothing."""

from __future__ import annotations

from hydra_kg.agents.planning.checked_conditions import conditions
from hydra_kg.agents.planning.planner import plan_of

__all__ = ["conditions", "plan_of"]
