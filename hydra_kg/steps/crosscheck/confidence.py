"""What is left of a confidence where texts, graphs or tables stand against an answer."""

from __future__ import annotations

from hydra_kg.domain import Verdict
from hydra_kg.steps.answering.results import Conclusion
from hydra_kg.steps.crosscheck.facts import rests_on_text
from hydra_kg.steps.verification.verify import contested_confidence, opposed


def confidence_left(confidence: float, end: Conclusion, opinion: tuple[Verdict, float, float]) -> float:
    """``opinion``: the verdict on the conclusion, the agreement of its sources and how much there is of them."""
    if opinion[2] and any(f.stance == "differs" for f in end.findings):
        return opposed(confidence, opinion[1])
    return contested_confidence(confidence, opinion) if end.sentence or rests_on_text(end) else confidence
