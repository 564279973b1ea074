"""Answers from the agent's own knowledge, without evidence, drawn once or several times (Wang et al. 2023)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hydra_kg.domain import Analysis, AnswerValue, Judgement
from hydra_kg.steps.answering.results import NOTHING, Attempt
from hydra_kg.steps.context import Context
from hydra_kg.text.folding import fold
from hydra_kg.util.recording import step


@step("conclude")
def recalled(context: Context, judgement: Judgement) -> Attempt:
    """Return the names that the agent gave from its own knowledge, each once; no source supports them."""
    if context.observers.watch is not None:
        context.observers.watch("selected", np.zeros(0, np.int64))
    with context.phase("answer"):
        answers: dict[str, AnswerValue] = {}
        for name in judgement.answers if judgement.own_knowledge else ():
            answers.setdefault(fold(name), AnswerValue(name))
        return Attempt(replace(NOTHING, answers=tuple(answers.values())), judgement)


def agreed(context: Context, analysis: Analysis, *, samples: int, think: bool) -> Judgement:
    """Return the answers that most draws give, with the share of these draws as ``confidence``.

    Two answers are equal if their names fold alike.
    """
    draws = [context.agent.know(analysis, think=think, sample=n) for n in range(1, samples + 1)]
    votes: dict[frozenset[str], list[Judgement]] = {}
    for draw in draws:
        if draw.sufficient:
            votes.setdefault(frozenset(fold(a) for a in draw.answers), []).append(draw)
    if not votes:
        return draws[0] if draws else Judgement(False, 0.0, "nothing was drawn")
    most = max(votes.values(), key=len)
    return replace(most[0], confidence=round(len(most) / samples, 4))
