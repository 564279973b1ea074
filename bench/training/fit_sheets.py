"""Fit the reader of single tables: which logical form a question means, and how probable its answer is right.

    python bench/training/fit_sheets.py --work DIR [--limit N]

Writes hydra_kg/steps/sheets/weights.npz (forms), decision.json (answers) and bench/results/sheets.md. The questions are
those of `train/wikitablequestions_train` and `train/tatqa_tables` of the data pack. Each form of a question whose
answer is the gold answer counts as right: the weights maximise the probability of all right forms together (AdaGrad,
averaged). The tables are split in five; each part is ranked with weights fitted on the other four, and these
probabilities are what the decision is fitted on, again part by part for what is reported. The decision also sees every
fourth question over its table without the column of the answer, so that it learns when a table has no answer.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.training.fit_sheet_decision import Judged, fit_decision, judge, report_curve, write_decision
from bench.training.sheet_questions import SheetCase, SheetCases, is_right, read_cases
from hydra_kg.domain import Floats, Ids
from hydra_kg.models.embedding.cached_embedder import CachedEmbedder
from hydra_kg.models.embedding.embedders import make_embedder
from hydra_kg.ports import Embedder
from hydra_kg.steps.sheets.anchors import find_anchors, read_words
from hydra_kg.steps.sheets.form_features import SIZE, Features
from hydra_kg.steps.sheets.form_ranking import rank_scores, score_forms
from hydra_kg.steps.sheets.logical_forms import forms
from hydra_kg.steps.sheets.sheet import Sheet

EPOCHS, RATE, SHRINK, PARTS = 4, 0.05, 0.01, 5
ONE_IN = 4
"""One in so many questions is also asked of its table without the answer."""


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """The forms of one question: `places` of their features, form by form from `starts`, and which are right."""

    set: str
    part: int
    sheet: Sheet
    case: SheetCase
    places: npt.NDArray[np.uint16]
    starts: Ids
    right: npt.NDArray[np.bool_]


def examples_of(some: SheetCases) -> list[Example]:
    """Return the forms of the questions about one table with their features."""
    found = []
    for case in some.cases:
        features, every = _forms(some.sheet, case)
        if every:
            places = [features.of(form) for form in every]
            known = {answers: is_right(answers, case.question["answers"]) for answers in {f.answers for f in every}}
            right = np.array([known[form.answers] for form in every])
            starts = np.cumsum([0, *map(len, places)])
            flat = np.fromiter((p for mine in places for p in mine), np.uint16, int(starts[-1]))
            found.append(Example(some.set, part_of(some.table), some.sheet, case, flat, starts, right))
    return found


def _forms(sheet: Sheet, case: SheetCase) -> tuple[Features, list[Any]]:
    words = read_words(case.text)
    anchors = find_anchors(sheet, words)
    return Features(sheet, words, anchors, embedder().embed), list(forms(sheet, words, anchors))


@cache
def embedder() -> Embedder:
    """Return the default embedder, which remembers the words that it has seen."""
    return CachedEmbedder(make_embedder())


def part_of(table: str) -> int:
    """Return the part of the tables that one belongs to."""
    return _number(table) % PARTS


def _number(text: str) -> int:
    return int(hashlib.md5(text.encode()).hexdigest(), 16)


def scores_of(weights: npt.NDArray[Any], one: Example) -> npt.NDArray[Any]:
    """Return the score of each form."""
    return np.add.reduceat(weights[one.places], one.starts[:-1])


def fit(examples: Sequence[Example]) -> npt.NDArray[Any]:
    """Return the averaged weights."""
    weights, squares, total = np.zeros(SIZE), np.full(SIZE, 0.1), np.zeros(SIZE)
    usable = [e for e in examples if e.right.any() and not e.right.all()]
    count, order = 0, random.Random(0)
    for epoch in range(EPOCHS):
        order.shuffle(usable)
        gain = 0.0
        for one in usable:
            scores = scores_of(weights, one)
            shares = np.exp(scores - scores.max())
            shares /= shares.sum()
            right = shares * one.right
            mass = float(right.sum()) + 1e-12
            gain += math.log(mass)
            steps = np.repeat(right / mass - shares, np.diff(one.starts))
            gradient = np.bincount(one.places, steps, SIZE)
            some = np.flatnonzero(gradient)
            change = gradient[some] - SHRINK * weights[some]
            squares[some] += change * change
            weights[some] += RATE * change / np.sqrt(squares[some])
            if epoch:
                total += weights
                count += 1
        print(f"epoch {epoch + 1}: log-likelihood {gain / len(usable):.3f}", flush=True)
    return total / max(1, count)


def judged_of(weights: Floats, one: Example) -> Judged:
    """Return the candidates of a question with their features, ranked by some weights."""
    features, every = _forms(one.sheet, one.case)
    return judge(one.set, one.part, one.case, rank_scores(features, every, scores_of(weights, one)))


def judged_without_answer(weights: Floats, one: Example) -> Judged | None:
    """Return the candidates of a question over its sheet without the column of the answer; None if it is not drawn.

    One in `ONE_IN` questions is drawn, of those whose answer a column gives.
    """
    if not one.right.any() or _number(one.case.text) % ONE_IN:
        return None
    _, every = _forms(one.sheet, one.case)
    scores = np.where(one.right, scores_of(weights, one), -np.inf)
    best = every[int(scores.argmax())]
    if best.column < 0:
        return None
    columns = tuple(c for n, c in enumerate(one.sheet.columns) if n != best.column)
    sheet, case = replace(one.sheet, columns=columns), replace(one.case, query=None)
    features, others = _forms(sheet, case)
    if not others:
        return None
    return judge(one.set, one.part, case, rank_scores(features, others, score_forms(features, others, weights)))


def print_ranking(examples: Sequence[Example], judged: Sequence[Judged]) -> None:
    """Print how often the likeliest form is right, a right one is missing, or is not ranked first."""
    for name in dict.fromkeys(e.set for e in examples):
        mine = [(e, j) for e, j in zip(examples, judged, strict=True) if e.set == name]
        first, found = sum(j.right[0] for _, j in mine), sum(bool(e.right.any()) for e, _ in mine)
        print(f"{name}: {len(mine)} questions, likeliest form right {first}, some form right {found}", flush=True)


def main() -> None:
    """Rank and decide on tables left out, then fit on all and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=0, help="tables of each set, for a quick run")
    parser.add_argument("--print-only", action="store_true", help="write nothing")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    every = [e for some in read_cases(options.work, limit=options.limit) for e in examples_of(some)]
    by_part = [fit([e for e in every if e.part != part]) for part in range(PARTS)]
    judged = [judged_of(by_part[e.part], e) for e in every]
    print_ranking(every, judged)
    absent = [found for e in every if (found := judged_without_answer(by_part[e.part], e)) is not None]
    curve = report_curve(judged, absent)
    if not options.print_only:
        package = Path(__file__).resolve().parents[2] / "hydra_kg" / "steps" / "sheets"
        np.savez_compressed(package / "weights.npz", weights=fit(every).astype(np.float16))
        write_decision(package / "decision.json", fit_decision([*judged, *absent]))
        curve.write()


if __name__ == "__main__":
    main()
