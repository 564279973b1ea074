"""Rank the logical forms of a question by learned weights, and give each answer its share of the probability."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files

import numpy as np

from hydra_kg.domain import Floats
from hydra_kg.plan.model import Root
from hydra_kg.steps.sheets.anchors import find_anchors, read_words
from hydra_kg.steps.sheets.features import Features
from hydra_kg.steps.sheets.forms import Form, forms
from hydra_kg.steps.sheets.sheet import Sheet
from hydra_kg.steps.sheets.to_query import form_query


@dataclass(frozen=True, slots=True, eq=False)
class RankedForms:
    """The likeliest form, also in the algebra of questions, the probability of its answer, and that of every other one.

    `unplaced`: content words of the question that neither the form's anchors nor its headings say ·
    `is_head_placed`: whether these leave a word of the noun that is asked for ("which *team*").
    """

    form: Form
    query: Root
    probability: float
    answers: dict[tuple[str, ...], float]
    unplaced: tuple[str, ...]
    is_head_placed: bool = True

    def support(self, names: Sequence[str]) -> float | None:
        """Return the probability of an answer that another reading gave, in any order; None if no form gives it."""
        found = [p for answers, p in self.answers.items() if sorted(answers) == sorted(names)]
        return sum(found) if found else None


def rank(sheet: Sheet, question: str) -> RankedForms | None:
    """Return the forms of a question by probability; None if there are none."""
    words = read_words(question)
    anchors = find_anchors(sheet, words)
    features = Features(sheet, words, anchors)
    some = list(forms(sheet, words, anchors))
    if not some:
        return None
    table = weights()
    scores = np.array([float(table[features.of(form)].sum()) for form in some])
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    answers: dict[tuple[str, ...], float] = defaultdict(float)
    best: dict[tuple[str, ...], tuple[float, Form]] = {}
    for form, share in zip(some, shares.tolist(), strict=True):
        answers[form.answers] += share
        if form.answers not in best or share > best[form.answers][0]:
            best[form.answers] = share, form
    first = max(answers, key=lambda a: answers[a])
    form = best[first][1]
    unsaid = features.unsaid(form)
    head = features.noun & features.content
    unplaced = tuple(words.words[k] for k in sorted(unsaid))
    return RankedForms(
        form,
        form_query(sheet, words, anchors, form),
        answers[first],
        dict(answers),
        unplaced,
        not head or not head <= unsaid,
    )


@cache
def weights() -> Floats:
    """Return the weight of each place of a feature, fitted by ``bench/training/fit_sheets.py``."""
    shipped = files("hydra_kg.steps.sheets").joinpath("weights.npz")
    with as_file(shipped) as path, np.load(path, allow_pickle=False) as archive:
        return np.asarray(archive["weights"], np.float32)
