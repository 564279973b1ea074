"""Calibration of confidence, and figures of selective answering, which no system improves by falling silent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from hydra_kg.citations import SURE
from hydra_kg.evaluate.scoring.grades import GRADES, grade, is_silent
from hydra_kg.evaluate.scoring.statistics import bootstrap_paired, mcnemar, resampling_weights, summarise_resamples
from hydra_kg.util.fast_dataclass import dataclass

WRONG_ALLOWED: Final = 0.05
"""Share of all questions that may be answered wrongly in `right_at_wrong`."""

Record = Mapping[str, Any]
Answers = tuple[tuple[float, ...], tuple[bool, ...], tuple[bool, ...]]
"""Confidence, whether right, and whether answered, with one value for each question."""

SHARES: Final = ("right", "wrong", "sure_wrong")
"""Shares of all questions that are yes or no for each question, tested with McNemar's exact test."""

RESAMPLED: Final = ("right_at_wrong", "auroc", "ece", "sure_right", "right_sure")
"""Figures of a whole run, tested with a paired bootstrap over questions."""

BINS = 10


@dataclass(frozen=True, slots=True)
class SelectiveFigures:
    """Figures of one set of questions; shares are in [0, 1], and None if they are undefined.

    - ``right``, ``wrong``, ``silent``: shares of all questions.
    - ``right_at_wrong``: the share right at the most generous confidence threshold that limits wrong answers to
      `WRONG_ALLOWED` of all questions.
    - ``auroc``: the probability that a right answer has more confidence than a wrong one; ties count half.
    - ``aurc``: the area under the risk-coverage curve (Geifman and El-Yaniv 2017), 0 is best.
    - ``ece``: the expected calibration error (Guo et al. 2017, Eq. 3).
    - ``sure_right``: the share of the sure answers that are right.
    - ``right_sure``: the share of the right answers that are sure.
    """

    n: int
    right: float | None
    wrong: float | None
    silent: float | None
    right_at_wrong: float | None
    auroc: float | None
    aurc: float | None
    ece: float | None
    sure: int
    sure_right: float | None
    right_sure: float | None

    def to_json(self) -> dict[str, Any]:
        """Return the figures, rounded to four digits."""
        return {k: round(v, 4) if isinstance(v, float) else v for k, v in asdict(self).items()}


def selective_figures(
    confidence: Sequence[float], right: Sequence[bool], answered: Sequence[bool], *, sure: float = SURE
) -> SelectiveFigures:
    """Compute the figures from confidence, correctness and existence of answers. Raises ValueError."""
    if not len(confidence) == len(right) == len(answered):
        raise ValueError("confidence, right and answered need one value per question each")
    given = np.asarray(answered, bool)
    score = np.asarray(confidence, np.float64)[given]
    hit = np.asarray(right, bool)[given]
    n, fit = len(confidence), calibration(score.tolist(), hit.astype(float).tolist())
    once = np.ones((1, n))
    shares = {k: _number(v) for k, v in compute_weighted_figures(confidence, right, answered, once, sure=sure).items()}
    return SelectiveFigures(
        n=n,
        right=_share(int(hit.sum()), n),
        wrong=_share(int((~hit).sum()), n),
        silent=_share(n - len(hit), n),
        right_at_wrong=shares["right_at_wrong"] if n else None,
        auroc=shares["auroc"],
        aurc=fit.aurc if len(hit) else None,
        ece=fit.ece if len(hit) else None,
        sure=int((score >= sure).sum()),
        sure_right=shares["sure_right"],
        right_sure=shares["right_sure"],
    )


def answer_of(record: Mapping[str, Any]) -> tuple[float, bool, bool]:
    """Return a record's confidence, whether it is (partly) right, and whether it has an answer; silence is none."""
    answered = not is_silent(record)
    return float(record.get("confidence") or 0.0), answered and grade(record) in GRADES[:2], answered


def figures_of_records(records: Sequence[Mapping[str, Any]]) -> SelectiveFigures:
    """Compute the figures of saved answers with their gold."""
    answers = [answer_of(r) for r in records]
    return selective_figures([c for c, _, _ in answers], [r for _, r, _ in answers], [a for _, _, a in answers])


def compute_weighted_figures(
    confidence: Sequence[float],
    right: Sequence[bool],
    answered: Sequence[bool],
    weights: npt.NDArray[np.float64],
    *,
    sure: float = SURE,
) -> dict[str, npt.NDArray[np.float64]]:
    """Compute right_at_wrong, auroc, ece, sure_right and right_sure for each row of `weights`.

    `weights` has one column for each question. Undefined figures are NaN.
    """
    given = np.flatnonzero(np.asarray(answered, bool))
    order = given[np.argsort(-np.asarray(confidence, np.float64)[given], kind="stable")]
    score, hit = np.asarray(confidence, np.float64)[order], np.asarray(right, bool)[order]
    # One column per level of confidence, the highest first.
    starts = np.flatnonzero(np.append(True, np.diff(score) != 0)) if len(score) else np.zeros(0, np.int64)
    level = score[starts]
    counts = weights[:, order]
    good = np.add.reduceat(counts * hit, starts, axis=1) if len(starts) else np.zeros((len(weights), 0))
    bad = np.add.reduceat(counts * ~hit, starts, axis=1) if len(starts) else np.zeros((len(weights), 0))
    all_good, all_bad, n = good.sum(axis=1), bad.sum(axis=1), weights.sum(axis=1)
    at_least, is_sure = np.cumsum(good, axis=1), level >= sure
    allowed = np.cumsum(bad, axis=1) <= WRONG_ALLOWED * n[:, None]
    bins = np.minimum((level * BINS).astype(np.int64), BINS - 1)
    too_sure = (good * (level - 1) + bad * level) @ np.eye(BINS)[bins]
    sure_good, sure_bad = good[:, is_sure].sum(axis=1), bad[:, is_sure].sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "right_at_wrong": np.where(allowed, at_least, 0.0).max(axis=1, initial=0.0) / n,
            "auroc": (bad * (at_least - good / 2)).sum(axis=1) / (all_good * all_bad),
            "ece": np.abs(too_sure).sum(axis=1) / (all_good + all_bad),
            "sure_right": sure_good / (sure_good + sure_bad),
            "right_sure": sure_good / all_good,
        }


def _number(values: npt.NDArray[np.float64]) -> float | None:
    return None if np.isnan(values[0]) else float(values[0])


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


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


class Bin(NamedTuple):
    """The answers with a confidence in [``low``, ``low`` + 1/BINS): mean confidence, share right, number."""

    confidence: float
    right: float
    n: int
    low: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Calibration figures of n answers.

    - ``ece``: the mean of |confidence − share right| over bins, weighted by their questions (Guo et al. 2017, Eq. 3).
    - ``aurc``: the mean risk over all coverages (Geifman and El-Yaniv 2017), 0 is best.
    - ``curve``: (coverage, risk) after each question, the most confident first.
    - ``bins``: the bins that have any answer.
    """

    n: int
    ece: float
    aurc: float
    curve: tuple[tuple[float, float], ...]
    bins: tuple[Bin, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the figures rounded, with at most 50 points of the curve."""
        step = max(1, len(self.curve) // 50)
        points = [self.curve[i] for i in range(0, len(self.curve), step)] + list(self.curve[-1:])
        return {
            "n": self.n,
            "ece": round(self.ece, 4),
            "aurc": round(self.aurc, 4),
            "curve": [[round(c, 4), round(r, 4)] for c, r in dict.fromkeys(points)],
            "bins": [[round(b.confidence, 4), round(b.right, 4), b.n, b.low] for b in self.bins],
        }


def calibration(confidence: Sequence[float], right: Sequence[float]) -> Calibration:
    """Return the calibration of confidences in [0, 1] against ``right`` (0 or 1).

    Raises ValueError for unequal lengths.
    """
    if len(confidence) != len(right):
        raise ValueError("a confidence for each question")
    if not len(confidence):
        return Calibration(0, 0.0, 0.0, (), ())
    sure, hit = np.asarray(confidence, np.float64), np.asarray(right, np.float64)
    place = np.minimum((sure * BINS).astype(np.int64), BINS - 1)
    bins = [
        Bin(float(sure[place == b].mean()), float(hit[place == b].mean()), int((place == b).sum()), int(b) / BINS)
        for b in np.unique(place)
    ]
    ece = sum(b.n * abs(b.confidence - b.right) for b in bins) / len(sure)
    order = np.argsort(-sure, kind="stable")
    wrong, ends = np.cumsum(1 - hit[order]), np.flatnonzero(np.append(np.diff(sure[order]) != 0, True))
    risk = wrong[ends] / (ends + 1)
    widths = np.diff(np.append(-1, ends))
    curve = tuple((float((e + 1) / len(sure)), float(r)) for e, r in zip(ends, risk, strict=True))
    return Calibration(len(sure), float(ece), float((risk * widths).sum() / len(sure)), curve, tuple(bins))
