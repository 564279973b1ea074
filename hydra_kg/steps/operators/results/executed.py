"""The result of executing a plan."""

from __future__ import annotations

from dataclasses import dataclass

from hydra_kg.plan.model import Root, Step
from hydra_kg.steps.answering.results import NOTHING, Conclusion
from hydra_kg.steps.operators.results.found import SURE, Surety


@dataclass(frozen=True, slots=True)
class Executed:
    """The answers of a plan with all that shows where they come from.

    ``steps``: what went into and came out of each operator · ``unmet``: conditions that could not be checked, in the
    question's words · ``in_doubt``: what may be otherwise all the same ("2 of 4 without a stated date of birth"), in
    words · ``reason``: why there is no answer · ``decided``: whether the plan ran to its end, so that no
    answer means that there is none · ``query``: what was computed.
    """

    conclusion: Conclusion = NOTHING
    steps: tuple[Step, ...] = ()
    confidence: float = 0.0
    unmet: tuple[str, ...] = ()
    reason: str = ""
    decided: bool = False
    surety: Surety = SURE
    in_doubt: tuple[str, ...] = ()
    query: Root | None = None
