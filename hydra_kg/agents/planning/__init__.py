"""The offline grammar of questions: from an English question with linked names to a plan, or to nothing."""

from __future__ import annotations

from hydra_kg.agents.planning.conditions import conditions
from hydra_kg.agents.planning.planner import plan_of

__all__ = ["conditions", "plan_of"]
