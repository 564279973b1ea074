"""Tests of whether two runs differ in the figures of selective answering, over the same questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hydra_kg.citations import SURE
from hydra_kg.evaluate.scoring.selective import answer_of, compute_weighted_figures
from hydra_kg.evaluate.scoring.statistics import bootstrap_paired, mcnemar, resampling_weights, summarise_resamples

Record = Mapping[str, Any]
Answers = tuple[tuple[float, ...], tuple[bool, ...], tuple[bool, ...]]
"""Confidence, whether right, and whether answered, with one value for each question."""

SHARES: Final = ("right", "wrong", "sure_wrong")
"""Shares of all questions that are yes or no for each question, tested with McNemar's exact test."""

RESAMPLED: Final = ("right_at_wrong", "auroc", "ece", "sure_right", "right_sure")
"""Figures of a whole run, tested with a paired bootstrap over questions."""


def selective_differences(a: Sequence[Record], b: Sequence[Record], *, seed: int = 0) -> dict[str, dict[str, Any]]:
    """Return a, b, b − a, its 95 % interval and p of each figure, or None; `a[i]` and `b[i]` are a pair."""
    if len(a) != len(b):
        raise ValueError("a paired test needs the same questions on both sides")
    before, after = _answers(a), _answers(b)
    found = {}
    for name in SHARES:
        one, other = _flags(before, name), _flags(after, name)
        d = bootstrap_paired(one.astype(float).tolist(), other.astype(float).tolist(), seed=seed)
        p = mcnemar(int((one & ~other).sum()), int((other & ~one).sum()))
        ends = (float(x.mean()) if len(x) else None for x in (one, other))
        found[name] = _round_values(*ends, d.mean, d.low, d.high, p)
    return found | (_resample_difference(before, after, seed) if len(a) else {})


def _resample_difference(a: Answers, b: Answers, seed: int) -> dict[str, dict[str, Any]]:
    """Return bootstrap intervals of the differences of two paired runs."""
    n = len(a[0])
    once = np.ones((1, n))
    points = compute_weighted_figures(*a, once), compute_weighted_figures(*b, once)
    drawn: dict[str, list[npt.NDArray[np.float64]]] = {name: [] for name in RESAMPLED}
    for weights in resampling_weights(n, seed=seed):
        one, other = compute_weighted_figures(*a, weights), compute_weighted_figures(*b, weights)
        for name in RESAMPLED:
            drawn[name].append(other[name] - one[name])
    found = {}
    for name in RESAMPLED:
        before, after = (float(p[name][0]) for p in points)
        values = np.concatenate(drawn[name])
        values = values[~np.isnan(values)]  # such as a resample without a wrong answer, which has no AUROC
        if np.isnan(after - before) or not len(values):
            found[name] = _round_values(*(None if np.isnan(x) else x for x in (before, after)), None, None, None, None)
            continue
        d = summarise_resamples(after - before, values, n=n)
        found[name] = _round_values(before, after, d.mean, d.low, d.high, d.p)
    return found


def _answers(records: Sequence[Record]) -> Answers:
    answers = [answer_of(r) for r in records]
    return tuple(c for c, _, _ in answers), tuple(r for _, r, _ in answers), tuple(a for _, _, a in answers)


def _flags(answers: Answers, name: str) -> npt.NDArray[np.bool_]:
    right = np.asarray(answers[1], np.bool_)
    if name == "right":
        return right
    wrong: npt.NDArray[np.bool_] = np.asarray(answers[2], np.bool_) & ~right
    sure: npt.NDArray[np.bool_] = np.asarray(answers[0], np.float64) >= SURE
    return wrong & sure if name == "sure_wrong" else wrong


def _round_values(*values: float | None) -> dict[str, Any]:
    names = ("a", "b", "difference", "low", "high", "p")
    return {k: None if v is None else round(v, 6) for k, v in zip(names, values, strict=True)}
