"""Figures of selective answering, which a system cannot improve by falling silent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hydra_kg.citations import SURE
from hydra_kg.evaluate.scoring.confidence_calibration import BINS, calibration
from hydra_kg.evaluate.scoring.grades import GRADES, grade, is_silent
from hydra_kg.util.fast_dataclass import dataclass

WRONG_ALLOWED: Final = 0.05
"""Share of all questions that may be answered wrongly in `right_at_wrong`."""


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
