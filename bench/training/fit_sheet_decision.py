"""Fit hydra_kg/steps/sheets/decision.json: how probable an answer about one table is right.

Called by `fit_sheets.py`. Logistic regression with a ridge over the properties of every candidate answer. What is
reported is measured part by part: the tables of a part are decided by weights fitted on the others, and each set also
by weights fitted on the other set alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bench.measure import ROOT
from bench.training.sheet_questions import SheetCase, is_right
from hydra_kg.domain import Floats
from hydra_kg.steps.sheets.form_ranking import RankedForms
from hydra_kg.steps.sheets.reading_decision import candidates, describe
from hydra_kg.steps.sheets.sheet_answers import GIVEN_FROM, SURE_FROM

RIDGE, STEPS, LEAST = 10.0, 7, 15
RESULTS = ROOT / "bench" / "results" / "sheets.md"


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The candidates of one question: their features, and which are right."""

    set: str
    part: int
    features: Sequence[Mapping[str, float]]
    right: npt.NDArray[np.bool_]
    able: npt.NDArray[np.bool_]
    unknown: bool


def judge(name: str, part: int, case: SheetCase, ranked: RankedForms) -> Judged:
    """Return the candidates of a question with their features."""
    found = [(one, describe(one, ranked, case.query)) for one in candidates(ranked, case.query)]
    right = np.array([is_right(one.names, case.question["answers"]) for one, _ in found])
    unknown = case.query is not None and case.query.unknown
    able = np.array([one.is_able and (one.is_query or not unknown) for one, _ in found])
    return Judged(name, part, [features for _, features in found], right, able, unknown)


def fit_decision(judged: Sequence[Judged]) -> dict[str, float]:
    """Return the weight of each feature that `LEAST` candidates or more have."""
    seen: dict[str, int] = {}
    for one in judged:
        for features in one.features:
            for name, value in features.items():
                seen[name] = seen.get(name, 0) + bool(value)
    names = sorted(name for name, count in seen.items() if count >= LEAST)
    at = {name: k for k, name in enumerate(names)}
    rows = [f for one in judged for f in one.features]
    x = np.zeros((len(rows), len(names)))
    for n, features in enumerate(rows):
        for name, value in features.items():
            if name in at:
                x[n, at[name]] = value
    y = np.concatenate([one.right for one in judged]).astype(float)
    weights = np.zeros(len(names))
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-x @ weights))
        gradient = x.T @ (p - y) + RIDGE * weights
        curve = (x.T * (p * (1 - p))) @ x + RIDGE * np.eye(len(names))
        weights -= np.linalg.solve(curve, gradient)
    return dict(zip(names, weights.tolist(), strict=True))


def write_decision(file: Path, weights: Mapping[str, float]) -> None:
    """Write the weights by name."""
    rounded = {name: round(weight, 4) for name, weight in sorted(weights.items())}
    file.write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """The answer that would be given to each question: its probability, and whether it is right."""

    probability: Floats
    right: npt.NDArray[np.bool_]


def decide_all(judged: Sequence[Judged], weights: Mapping[str, float]) -> list[tuple[float, bool]]:
    """Return probability and correctness of the chosen candidate of each question; 0 if none may be given."""
    found = []
    for one in judged:
        scores = np.array([sum(weights.get(k, 0.0) * v for k, v in f.items()) for f in one.features])
        p = 1 / (1 + np.exp(-scores))
        if one.unknown:
            p = np.where(one.able, p, 0.0)
        best = int(p.argmax())
        found.append((float(p[best]) if one.able[best] else 0.0, bool(one.right[best])))
    return found


def left_out(judged: Sequence[Judged], group: Callable[[Judged], object], more: Sequence[Judged] = ()) -> Decided:
    """Decide each group of questions by weights fitted on the other groups of these and of ``more``."""
    p, right = np.zeros(len(judged)), np.zeros(len(judged), bool)
    for one in {group(j) for j in judged}:
        mine = [n for n, j in enumerate(judged) if group(j) == one]
        weights = fit_decision([j for j in (*judged, *more) if group(j) != one])
        for n, (probability, is_good) in zip(mine, decide_all([judged[n] for n in mine], weights), strict=True):
            p[n], right[n] = probability, is_good
    return Decided(p, right)


@dataclass(frozen=True, slots=True)
class Curve:
    """The report as Markdown lines."""

    lines: Sequence[str]

    def write(self) -> None:
        """Write the report."""
        RESULTS.write_text("\n".join(self.lines) + "\n", encoding="utf-8")


def report_curve(judged: Sequence[Judged], absent: Sequence[Judged]) -> Curve:
    """Return what is given, right and sure on tables left out, and print it; ``absent``: without the right column."""
    lines = [
        "# How probable an answer about one table is right",
        "",
        "Written by `python bench/training/fit_sheets.py --work DIR`; only the whole gold answer counts as right.",
        "Every question was ranked by weights fitted on other tables. *tables left out*: decided by weights fitted on",
        "other tables of both sets; *set left out*: by weights fitted on the other set alone. Bounds of the product:",
        f"an answer is given from a probability of {GIVEN_FROM} and called sure from {SURE_FROM}.",
        "",
    ]
    sets = sorted({j.set for j in judged})
    by_part = left_out(judged, lambda j: j.part, absent)
    by_set = left_out(judged, lambda j: j.set, absent) if len(sets) > 1 else by_part
    for name in sets:
        mine = np.array([j.set == name for j in judged])
        for how, found in (("tables left out", by_part), ("set left out", by_set)):
            lines += _table(f"{name}, {how}", found.probability[mine], found.right[mine])
    missing = left_out(absent, lambda j: j.part, judged)
    lines += _table("tables without the column of the answer", missing.probability, missing.right)
    print("\n".join(lines), flush=True)
    return Curve(lines)


def _table(title: str, p: Floats, right: npt.NDArray[np.bool_]) -> list[str]:
    given = p >= GIVEN_FROM
    lines = [
        f"## {title} ({len(p)} questions)",
        "",
        "| from | answered | right of all | wrong of all | right of these |",
    ]
    lines.append("|---|---|---|---|---|")
    for bound in (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95):
        some = p >= bound
        n, good = int(some.sum()), int((some & right).sum())
        share = f"{good / n:.3f}" if n else "–"
        lines.append(f"| {bound} | {n / len(p):.3f} | {good / len(p):.3f} | {(n - good) / len(p):.3f} | {share} |")
    sure, all_right = p >= SURE_FROM, int((given & right).sum())
    good = int((sure & right).sum())
    lines += ["", f"Of the right answers {good / max(1, all_right):.3f} are sure; of the sure ones"]
    lines[-1] += f" {good / max(1, int(sure.sum())):.3f} are right. {_best_pair(p, right)}"
    return [*lines, ""]


def _best_pair(p: Floats, right: npt.NDArray[np.bool_]) -> str:
    """Say how many of the right answers that are given can be sure at .93 precision."""
    order = np.argsort(-p, kind="stable")
    good = np.cumsum(right[order])
    precise = np.flatnonzero(good >= 0.93 * np.arange(1, len(p) + 1))
    most = int(good[precise[-1]]) if len(precise) else 0
    bound = p[order][precise[-1]] if len(precise) else 1.0
    given = int((right & (p >= GIVEN_FROM)).sum())
    return f"At .93 right, {most / max(1, given):.3f} of the right ones can be sure (from {bound:.3f})."
