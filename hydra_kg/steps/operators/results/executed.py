"""The result of executing a plan."""

from __future__ import annotations

from dataclasses import dataclass

from hydra_kg.plan.model import Root, Step
from hydra_kg.steps.answering.results import NOTHING, Conclusion
from hydra_kg.steps.operators.results.found import SURE, Surety


@dataclass(frozen=True, slots=True)
class Executed:
    """Answers of a plan.

    ``steps``: per operator · ``unmet``: unchecked conditions · ``in_doubt``: reservations in words · ``reason``: for no
    answer · ``decided``: ran to its end · ``query``.
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
