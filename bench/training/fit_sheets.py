"""Fit hydra_kg/steps/sheets/weights.npz: which logical form a question over one table means.

    python bench/training/fit_sheets.py --work DIR [--out FILE] [--limit N]

The questions and tables are those of `train/wikitablequestions_train` of the data pack, whose tables no other set has.
Every table is loaded as a user would load it, and each form of a question whose answer is the gold answer counts as
right: the weights maximise the probability of all right forms together (AdaGrad, averaged). One table in five is left
out first, and what its questions get is printed: the share that is right, and the share right at 2 to 10 % wrong.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.accuracy.own import outcome
from bench.measure import data
from hydra_kg import Hydra
from hydra_kg.domain import Floats, Ids
from hydra_kg.errors import HydraError
from hydra_kg.steps.sheets import answering
from hydra_kg.steps.sheets.anchors import find_anchors, read_words
from hydra_kg.steps.sheets.features import SIZE, Features
from hydra_kg.steps.sheets.forms import forms
from hydra_kg.steps.sheets.sheet import Sheet

SET = "wikitablequestions_train"
EPOCHS, RATE, SHRINK = 4, 0.05, 0.01
LIMITS = (0.02, 0.04, 0.06, 0.1)


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """The forms of one question: `places` of their features, form by form from `starts`, and which are right."""

    question: Mapping[str, Any]
    places: Ids
    starts: Ids
    right: Ids
    answer_of: Ids
    answers: Sequence[tuple[str, ...]]


def sheet_of(file: Path, store: Path) -> Sheet | None:
    """Load a table and return it as the product reads it; None if it is not one sheet."""
    found: list[answering.GraphSheet | None] = []
    read = answering.graph_sheet

    def keep(*args: Any) -> answering.GraphSheet | None:
        found.append(read(*args))
        return found[-1]

    try:
        with Hydra(store=store, agent="offline") as hydra, patch.object(answering, "graph_sheet", keep):
            if not (store / "loaded").is_file():
                hydra.load(file)
                (store / "loaded").touch()
            hydra.ask("How many rows are listed?", keep=False)
    except HydraError as error:
        print(f"not loaded: {file.name}: {error}", file=sys.stderr)
    return found[0].sheet if found and found[0] is not None else None


def example_of(sheet: Sheet, question: Mapping[str, Any]) -> Example | None:
    """Return the forms of a question with their features."""
    words = read_words(question["question"])
    anchors = find_anchors(sheet, words)
    features = Features(sheet, words, anchors)
    some = list(forms(sheet, words, anchors))
    if not some:
        return None
    places = [features.of(form) for form in some]
    known: dict[tuple[str, ...], int] = {}
    answer_of = np.array([known.setdefault(form.answers, len(known)) for form in some])
    right = np.array([is_right(answers, question["answers"]) for answers in known])
    starts = np.cumsum([0, *map(len, places)])
    return Example(question, np.concatenate(places), starts, right[answer_of], answer_of, list(known))


def is_right(answers: Sequence[str], gold: Sequence[Mapping[str, Any]]) -> bool:
    """Return True if answers are the gold answers, of a list most of them and few others."""
    document = {"answers": [{"name": name} for name in answers]}
    size = len(answers) == 1 if len(gold) == 1 else 0.7 * len(gold) <= len(answers) <= 1.4 * len(gold)
    return size and outcome(document, gold) == "right"


def probabilities(weights: Floats, one: Example) -> Floats:
    """Return the probability of each form."""
    scores = np.add.reduceat(weights[one.places], one.starts[:-1])
    shares = np.exp(scores - scores.max())
    return shares / shares.sum()  # type: ignore[no-any-return]


def fit(examples: Sequence[Example]) -> Floats:
    """Return the averaged weights."""
    weights, squares, total = np.zeros(SIZE), np.full(SIZE, 0.1), np.zeros(SIZE)
    usable = [e for e in examples if e.right.any() and not e.right.all()]
    count, order = 0, random.Random(0)
    for epoch in range(EPOCHS):
        order.shuffle(usable)
        gain = 0.0
        for one in usable:
            shares = probabilities(weights, one)
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


def report(weights: Floats, examples: Sequence[Example]) -> None:
    """Print how many first answers are right, and how many at some shares of wrong ones."""
    judged = []
    for one in examples:
        mass = np.bincount(one.answer_of, probabilities(weights, one))
        best = int(mass.argmax())
        document = {"answers": [{"name": name} for name in one.answers[best]]}
        judged.append((float(mass[best]), outcome(document, one.question["answers"]) == "right"))
    judged.sort(reverse=True)
    print(f"{len(judged)} questions of other tables: {sum(r for _, r in judged) / len(judged):.3f} right if all answer")
    for limit in LIMITS:
        right = wrong = best = 0
        for _, is_good in judged:
            right, wrong = right + is_good, wrong + (not is_good)
            best = right if wrong <= limit * len(judged) else best
        print(f"  at {limit:.2f} wrong: {best / len(judged):.3f} right")


def read_examples(work: Path, limit: int) -> Iterator[Example]:
    """Yield the examples of all tables, or of so many."""
    folder = data() / "train" / SET
    by_table: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in (folder / "questions.train.jsonl").read_text(encoding="utf-8").splitlines():
        question = json.loads(line)
        by_table[question["table"]].append(question)
    for table, mine in list(by_table.items())[: limit or None]:
        sheet = sheet_of(folder / "data" / table, work / table.replace(".", "-"))
        if sheet is not None:
            yield from (e for q in mine if (e := example_of(sheet, q)) is not None)


def is_left_out(table: str) -> bool:
    """Return True for one table in five."""
    return int(hashlib.md5(table.encode()).hexdigest(), 16) % 5 == 0


def main() -> None:
    """Measure on tables left out, fit on all, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("hydra_kg/steps/sheets/weights.npz"))
    parser.add_argument("--limit", type=int, default=0, help="tables; all if left out")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    every = list(read_examples(options.work, options.limit))
    report(
        fit([e for e in every if not is_left_out(e.question["table"])]),
        [e for e in every if is_left_out(e.question["table"])],
    )
    np.savez_compressed(options.out, weights=fit(every).astype(np.float16))


if __name__ == "__main__":
    main()
