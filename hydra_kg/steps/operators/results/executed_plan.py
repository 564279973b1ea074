"""The result of executing a plan, and the truth of an assertion with its evidence."""

from __future__ import annotations

from typing import Literal

from hydra_kg.execution.evidence_hops import Leg
from hydra_kg.plan.model import Root, Step
from hydra_kg.steps.answering.results import NOTHING, Conclusion
from hydra_kg.steps.operators.results.found_entities import SURE, Surety
from hydra_kg.util.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Executed:
    """The answers of a plan.

    Args:
        conclusion: The answers with their evidence.
        steps: One step per operator.
        confidence: The confidence in the answers.
        unmet: Conditions that were not checked.
        reason: The reason why there is no answer.
        decided: Whether the plan ran to its end.
        surety: The lowest certainty of its choices.
        in_doubt: Reservations in words.
        repeated: Whether repeated rows should count, in words, if the answer would be another without them.
        query: The query that was executed.
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
    repeated: tuple[str, ...] = ()


Truth = Literal["yes", "no", "unknown"]


@dataclass(frozen=True, slots=True)
class AssertionResult:
    """Truth of an assertion with the hop sequences that support it."""

    truth: Truth
    words: str
    ways: tuple[tuple[tuple[Leg, ...], int], ...] = ()
    steps: tuple[Step, ...] = ()
    surety: Surety = SURE
    unmet: tuple[str, ...] = ()
    understood: bool = True
    doubt: tuple[str, ...] = ()
