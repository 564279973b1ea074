"""The truth of an assertion, with the evidence for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hydra_kg.execution.legs import Leg
from hydra_kg.plan.model import Step
from hydra_kg.steps.operators.results.found import SURE, Surety

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
