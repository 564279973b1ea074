"""Fit which reading of a question over own data is right, and compare with what is answered today.

    python bench/training/reading_questions.py --work DIR --out LOG
    python bench/training/fit_readings.py --log LOG [--write]

LOG has the candidates of every reader for the questions of all families that may be trained on. The weights of a choice
model maximise the probability of right candidates, or of "none" where none is right. Families weigh equally. Answers
such as 1, 2 and yes, which wrong queries also give, weigh less. Weights of the other families decide each family.
The product has no such weights, because they are no better there: ``--write`` writes bench/results/readings.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.measure import ROOT
from hydra_kg.domain import Floats, Ids

LEAST, RIDGE, STEPS, RATE = 8, 3.0, 400, 0.05
SMALL_WEIGHT, PARTLY, SET_FROM = 0.4, 0.3, 0.75
"""Weight of a question whose gold answer is 1, 2 or yes; share of a list whose first name is right; F1 of a list."""
PRIOR = {"bias": 2.5} | {f"{reader} cost": -5.0 for reader in ("tables", "schema", "cell", "sheet", "plan")}
"""Weights that features have without data: the readers' own costs."""
GIVEN_FROM = 0.5
"""Probability from which the table takes an answer as given."""
RESULTS = ROOT / "bench" / "results" / "readings.md"

Question = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """Features of all candidates of some questions: rows `x`, how right each is, and the question of each."""

    x: Floats
    y: Floats
    question: Ids
    count: int


def is_whole(one: dict[str, Any]) -> bool:
    """Return True if a candidate has the whole gold answer and little else."""
    return bool(one["set"]) or one["f1"] >= SET_FROM


def design(questions: Sequence[Question], names: Sequence[str], stage: str) -> Design:
    """Return the features by position of their names."""
    at = {name: n for n, name in enumerate(names)}
    every = [(n, one) for n, q in enumerate(questions) for one in q[stage]]
    x = np.zeros((len(every), len(names)))
    for row, (_, one) in enumerate(every):
        for name, value in one["features"].items():
            if name in at:
                x[row, at[name]] = value
    y = [1.0 if is_whole(one) else PARTLY if one["right"] and one["f1"] >= PARTLY else 0.0 for _, one in every]
    return Design(x, np.array(y), np.array([n for n, _ in every], np.int64), len(questions))


def shares(one: Design, weights: Floats) -> Floats:
    """Return the probability of each candidate."""
    odds = np.exp(np.clip(one.x @ weights, -30, 30))
    total = np.ones(one.count)
    np.add.at(total, one.question, odds)
    found: Floats = odds / total[one.question]
    return found


def fit(questions: Sequence[Question], names: Sequence[str], stage: str) -> Floats:
    """Return the weights of the features by gradient steps of Adam on all questions at once."""
    one, each = design(questions, names, stage), question_weights(questions)
    prior = np.array([PRIOR.get(name, 0.0) for name in names])
    weights, mean, square = prior.copy(), np.zeros(len(names)), np.zeros(len(names))
    most = np.zeros(one.count)
    np.maximum.at(most, one.question, one.y)
    for step in range(1, STEPS + 1):
        p = shares(one, weights)
        right = p * one.y
        total = np.zeros(one.count)
        np.add.at(total, one.question, right)
        target = most[one.question] * right / np.maximum(total[one.question], 1e-12)
        gradient = (one.x.T @ ((target - p) * each[one.question]) - RIDGE * (weights - prior)) / one.count
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient**2
        rate = RATE if step <= 0.8 * STEPS else RATE / 10
        weights += rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return weights


def question_weights(questions: Sequence[Question]) -> Floats:
    """Return a weight per question by which families count the same."""
    size = Counter(q["family"] for q in questions)
    mean = len(questions) / len(size)
    return np.array([(SMALL_WEIGHT if q["small"] else 1.0) * mean / size[q["family"]] for q in questions])


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen candidate of a question (None without candidates) and its probability."""

    candidate: dict[str, Any] | None
    probability: float


def choose(questions: Sequence[Question], names: Sequence[str], stage: str, weights: Floats) -> list[Choice]:
    """Return the most probable candidate of each question."""
    one = design(questions, names, stage)
    p, found, start = shares(one, weights), [], 0
    for question in questions:
        mine = p[start : start + len(question[stage])]
        start += len(mine)
        best = int(mine.argmax()) if len(mine) else -1
        found.append(Choice(question[stage][best], float(mine[best])) if len(mine) else Choice(None, 0.0))
    return found


def left_out(questions: Sequence[Question], names: Sequence[str], stage: str) -> list[Choice]:
    """Choose in each family by weights fitted on the other families."""
    found: dict[int, Choice] = {}
    for family in sorted({q["family"] for q in questions}):
        mine = [n for n, q in enumerate(questions) if q["family"] == family]
        weights = fit([q for q in questions if q["family"] != family], names, stage)
        some = choose([questions[n] for n in mine], names, stage, weights)
        found |= dict(zip(mine, some, strict=True))
    return [found[n] for n in range(len(questions))]


def cheapest(question: Question) -> Choice:
    """Return the candidate that costs its reader least."""
    some = question["candidates"]
    return Choice(min(some, key=lambda c: min(c["by"].values())), 1.0) if some else Choice(None, 0.0)


def figures(choices: Sequence[Choice], bound: float = 0.0) -> tuple[float, float, float]:
    """Return the shares of questions whose first answer is right, whose whole answer is, and that are wrong."""
    given = [c.candidate for c in choices if c.candidate is not None and c.probability >= bound]
    right, whole = sum(c["right"] for c in given), sum(map(is_whole, given))
    return right / len(choices), whole / len(choices), sum(c["f1"] == 0 for c in given) / len(choices)


def rows_of(questions: Sequence[Question], by: dict[str, list[Choice]]) -> list[list[str]]:
    """Return a row for each set, and one for the mean over families."""
    rows, means = [], []
    groups = [("set", name) for name in dict.fromkeys(q["set"] for q in questions)]
    groups += [("family", name) for name in sorted({q["family"] for q in questions})]
    for key, name in groups:
        mine = [n for n, q in enumerate(questions) if q[key] == name]
        some = [questions[n] for n in mine]
        today = Counter(q["today"] for q in some)
        cells = [today["right"] / len(mine), sum(q["today_set"] for q in some) / len(mine), today["wrong"] / len(mine)]
        cells += figures([cheapest(q) for q in some])[:2]
        cells += figures([by["candidates"][n] for n in mine])[:2]
        cells.append(sum(any(map(is_whole, q["candidates"][:12])) for q in some) / len(mine))
        cells += figures([by["candidates"][n] for n in mine], GIVEN_FROM)
        if key == "set":
            rows.append([name, str(len(mine)), *(f"{c:.2f}" for c in cells)])
        else:
            means.append(cells)
    mean = np.mean(np.array(means), axis=0)
    return [*rows, ["mean over families", str(len(questions)), *(f"{c:.2f}" for c in mean)]]


def confidence_rows(questions: Sequence[Question], choices: Sequence[Choice]) -> list[list[str]]:
    """Return, for bounds of confidence, how many answers exceed it and how many of these are right."""
    today = [(q["confidence"], q["today"] == "right") for q in questions if q["today"] != "silent"]
    mine = [(c.probability, bool(c.candidate and c.candidate["right"])) for c in choices]
    rows = []
    for bound in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95):
        cells = [f"{bound}"]
        for some in (today, mine):
            above = [right for confidence, right in some if confidence >= bound]
            cells += [str(len(above)), f"{sum(above) / max(1, len(above)):.3f}"]
        rows.append(cells)
    return rows


def silent_rows(questions: Sequence[Question], choices: Sequence[Choice]) -> list[list[str]]:
    """Return what would be given of the questions that are silent today, by bounds and where two readers agree."""
    pairs = [(q, c) for q, c in zip(questions, choices, strict=True) if q["today"] == "silent"]
    groups = [(f"{b}", [c.candidate for _, c in pairs if c.probability >= b]) for b in (0.3, 0.4, 0.5, 0.6, 0.7)]
    groups.append(("both cheapest", [one for q, _ in pairs if (one := _agreed(q)) is not None]))
    rows = []
    for name, some in groups:
        given = [one for one in some if one is not None]
        counts = len(given), sum(c["right"] for c in given), sum(map(is_whole, given)), sum(c["f1"] == 0 for c in given)
        rows.append([name, *map(str, counts)])
    return rows


def _agreed(question: Question) -> dict[str, Any] | None:
    firsts = []
    for reader in ("tables", "schema"):
        mine = [one for one in question["candidates"] if reader in one["by"]]
        firsts.append(min(mine, key=lambda one: one["by"][reader]) if mine else None)
    return firsts[0] if firsts[0] is firsts[1] else None


def report(questions: Sequence[Question], by: dict[str, list[Choice]], count: int) -> str:
    """Return the tables as Markdown."""
    head = "| set | n | today right | whole | wrong | cheapest right | whole | ranked right | whole | among twelve |"
    head += f" ranked from {GIVEN_FROM} right | whole | wrong |"
    every = by["candidates"]
    lines = [
        "# Readings of own data ranked on one scale",
        "",
        "Written by `python bench/training/fit_readings.py --log LOG --write`. Each family was decided by weights",
        f"fitted on the other families ({count} features). *right*: the first answer is; *whole*: all gold answers and",
        "no others; *today*: as the log's commit answers; *cheapest*: the candidate that costs its reader least;",
        "*among twelve*: the whole answer is one of the first twelve distinct results.",
        "",
        "The product ranks no readings by such weights, because the tables say no: on families left out the choice is",
        "no better than the cheapest reading, with the same share of wrong answers fewer are right than today, and",
        "of the questions that are silent today about one answer in two would be wrong. That two readers agree is a",
        "better sign, but after words that may choose are excluded its gain comes from one family of templates.",
        "",
        head,
        "|---" * (head.count("|") - 1) + "|",
        *(f"| {' | '.join(row)} |" for row in rows_of(questions, by)),
        "",
        "| confidence from | today n | right | ranked n | right |",
        "|---|---|---|---|---|",
        *(f"| {' | '.join(row)} |" for row in confidence_rows(questions, every)),
        "",
        "| questions that are silent today, ranked from | answered | right | whole | wrong |",
        "|---|---|---|---|---|",
        *(f"| {' | '.join(row)} |" for row in silent_rows(questions, every)),
        "",
        "*Both cheapest*: the cheapest table query and the cheapest schema reading have the same result.",
    ]
    return "\n".join(lines)


def main() -> None:
    """Fit family by family, print the tables, and write what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    questions = [json.loads(line) for line in options.log.read_text(encoding="utf-8").splitlines()]
    seen = Counter(name for q in questions for one in q["candidates"] for name in one["features"])
    names = sorted(name for name, count in seen.items() if count >= LEAST)
    by = {"candidates": left_out(questions, names, "candidates")}
    text = report(questions, by, len(names))
    print(text, flush=True)
    if options.write:
        RESULTS.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
