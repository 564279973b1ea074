"""Use the offline outcome if the language model failed, so that a failure never improves a verdict.

A strategy with a model leaves to it some checks that it makes itself without one (what a path may not answer, names
that no path goes through). If the model then fails in its judgement, or its budget or time is spent, these checks
are missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hydra_kg.domain import Judgement
from hydra_kg.steps.answering.results import NOTHING
from hydra_kg.strategies.base import Outcome

UNJUDGED = "the language model failed, and this strategy needs one"


def is_unjudged(outcome: Outcome, *, failed: bool) -> bool:
    """Return True if a model failed and the outcome was judged neither by it nor without any model."""
    return failed and not outcome.judgement.by_model and not outcome.without_model


def offline_outcome(outcome: Outcome, run: Callable[[], Outcome], *, needs_model: bool) -> Outcome:
    """Return the outcome of ``run``, which uses no model. Strategies that need a model have no answer."""
    if needs_model:
        unjudged = Judgement(False, 0.0, UNJUDGED)
        return replace(outcome, conclusion=NOTHING, judgement=unjudged, without_model=True)
    return replace(outcome.offline or run(), without_model=True)
