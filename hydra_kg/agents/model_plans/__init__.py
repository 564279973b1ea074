"""Plans that a language model writes: parsed from its steps, and checked against the question."""

from __future__ import annotations

from hydra_kg.agents.model_plans.plan_checks import model_plan

__all__ = ["model_plan"]
