"""Claims (FEVER, Creak): the answer of any strategy to "is this true?" as true, false or unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from hydra_kg.domain import Analysis, AnswerValue
from hydra_kg.text.folding import fold

Truth = Literal["true", "false", "unknown"]


def truth(analysis: Analysis, answers: Sequence[AnswerValue]) -> Truth | None:
    """What the answers say of a claim, unknown where there is none; None where the question is no claim."""
    if analysis.answer_type != "claim":
        return None
    first = fold(answers[0].name) if answers else ""
    return "true" if first in {"yes", "true"} else "false" if first in {"no", "false"} else "unknown"
