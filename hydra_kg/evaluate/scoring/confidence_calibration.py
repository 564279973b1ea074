"""Calibration of confidence: expected calibration error, and risk against coverage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hydra_kg.util.fast_dataclass import dataclass

BINS = 10


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
