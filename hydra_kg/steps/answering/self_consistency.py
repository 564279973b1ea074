"""Self-consistency (Wang et al. 2023): several draws of an answer, and the one that most of them give."""

from __future__ import annotations

from dataclasses import replace

from hydra_kg.domain import Analysis, Judgement
from hydra_kg.steps.context import Context
from hydra_kg.text.folding import fold


def agreed(context: Context, analysis: Analysis, *, samples: int, think: bool) -> Judgement:
    """The answers that most of ``samples`` draws give (draws are equal if their names fold to the same set), the first
    drawn among equals; ``confidence`` is their share of all draws. Insufficient where no draw answers."""
    draws = [context.agent.know(analysis, think=think, sample=n) for n in range(1, samples + 1)]
    votes: dict[frozenset[str], list[Judgement]] = {}
    for draw in draws:
        if draw.sufficient:
            votes.setdefault(frozenset(fold(a) for a in draw.answers), []).append(draw)
    if not votes:
        return draws[0] if draws else Judgement(False, 0.0, "nothing was drawn")
    most = max(votes.values(), key=len)
    return replace(most[0], confidence=round(len(most) / samples, 4))
