"""Rank the logical forms of a question by learned weights, and give each answer its share of the probability."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from importlib.resources import as_file, files
from typing import Final

import numpy as np

from hydra_kg.domain import Floats
from hydra_kg.plan.model import Root
from hydra_kg.steps.sheets.anchors import find_anchors, read_words
from hydra_kg.steps.sheets.form_features import Embed, Features
from hydra_kg.steps.sheets.logical_forms import Form, forms
from hydra_kg.steps.sheets.sheet import Sheet
from hydra_kg.steps.sheets.to_query import form_query
from hydra_kg.util.fast_dataclass import dataclass

MOST_RANKED: Final = 3
"""Answers that are offered, the likeliest first."""


@dataclass(frozen=True, slots=True, eq=False)
class RankedAnswer:
    """The likeliest form with an answer, and the probability of all forms with this answer.

    `unplaced` has the words that the form does not explain. `is_head_placed` tells that the asked noun is explained.
    """

    form: Form
    query: Root
    probability: float
    unplaced: tuple[str, ...]
    is_head_placed: bool
    share: float
    """Probability of the form alone."""
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class RankedForms:
    """The likeliest answers, best first, the probability of every answer, and the question with its features."""

    best: tuple[RankedAnswer, ...]
    answers: dict[tuple[str, ...], float]
    features: Features

    def support(self, names: Sequence[str]) -> float:
        """Return the probability of an answer that another reading gave, in any order; 0 if no form gives it."""
        return sum(p for answers, p in self.answers.items() if sorted(answers) == sorted(names))


def rank(sheet: Sheet, question: str, embed: Embed | None = None) -> RankedForms | None:
    """Return a question's forms by probability, or None; ``embed``: vectors for words near headings."""
    words = read_words(question)
    anchors = find_anchors(sheet, words)
    features = Features(sheet, words, anchors, embed)
    some = list(forms(sheet, words, anchors))
    if not some:
        return None
    return rank_scores(features, some, score_forms(features, some, weights()))


def score_forms(features: Features, some: Sequence[Form], table: Floats) -> Floats:
    """Return the score of each form: the sum of the weights of its features."""
    return np.array([float(table[features.of(form)].sum()) for form in some])


def rank_scores(features: Features, some: Sequence[Form], scores: Floats) -> RankedForms:
    """Return forms by probability, which is the softmax of their scores."""
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    answers: dict[tuple[str, ...], float] = defaultdict(float)
    likeliest: dict[tuple[str, ...], int] = {}
    for place, (form, share) in enumerate(zip(some, shares.tolist(), strict=True)):
        answers[form.answers] += share
        if form.answers not in likeliest or share > shares[likeliest[form.answers]]:
            likeliest[form.answers] = place
    first = sorted(answers, key=lambda a: -answers[a])[:MOST_RANKED]
    best = []
    for one in first:
        place = likeliest[one]
        unsaid, head = features.unsaid(some[place]), features.noun & features.content
        unplaced = tuple(features.question.words[k] for k in sorted(unsaid))
        is_placed = not head or not head <= unsaid
        share, score = float(shares[place]), float(scores[place])
        query = form_query(features.sheet, features.question, features.anchors, some[place])
        best.append(RankedAnswer(some[place], query, answers[one], unplaced, is_placed, share, score))
    return RankedForms(tuple(best), dict(answers), features)


@cache
def weights() -> Floats:
    """Return the weight of each place of a feature, fitted by ``bench/training/fit_sheets.py``."""
    shipped = files("hydra_kg.steps.sheets").joinpath("weights.npz")
    with as_file(shipped) as path, np.load(path, allow_pickle=False) as archive:
        return np.asarray(archive["weights"], np.float32)
