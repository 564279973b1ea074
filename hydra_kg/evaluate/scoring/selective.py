"""Figures of selective answering, which a system cannot improve by falling silent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hydra_kg.citations import SURE
from hydra_kg.evaluate.scoring.calibration import calibration

WRONG_ALLOWED: Final = 0.05
"""Share of all questions that may be answered wrongly in `right_at_wrong`."""


@dataclass(frozen=True, slots=True)
class SelectiveFigures:
    """Figures of one set of questions; shares lie in [0, 1] and are None where nothing can be divided.

    right, wrong, silent: shares of all questions · right_at_wrong: share right at the most generous confidence
    threshold that keeps the wrong ones at `WRONG_ALLOWED` of all questions · auroc: probability that a right answer
    has more confidence than a wrong one, ties count half · aurc: area under the risk-coverage curve (Geifman and
    El-Yaniv 2017), 0 is best · ece: expected calibration error (Guo et al. 2017, Eq. 3) · sure_right: share of the
    sure answers that are right · right_sure: share of the right answers that are sure.
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
    """Compute the figures of questions with their confidence, whether the answer is right, and whether there is one.

    Raises ValueError for sequences of different length.
    """
    if not len(confidence) == len(right) == len(answered):
        raise ValueError("confidence, right and answered need one value per question each")
    given = np.asarray(answered, bool)
    score = np.asarray(confidence, np.float64)[given]
    hit = np.asarray(right, bool)[given]
    n, is_sure = len(confidence), score >= sure
    fit = calibration(score.tolist(), hit.astype(float).tolist())
    return SelectiveFigures(
        n=n,
        right=_share(int(hit.sum()), n),
        wrong=_share(int((~hit).sum()), n),
        silent=_share(n - len(hit), n),
        right_at_wrong=_right_at_wrong(score, hit, n) if n else None,
        auroc=_auroc(score, hit),
        aurc=fit.aurc if len(hit) else None,
        ece=fit.ece if len(hit) else None,
        sure=int(is_sure.sum()),
        sure_right=_share(int(hit[is_sure].sum()), int(is_sure.sum())),
        right_sure=_share(int((hit & is_sure).sum()), int(hit.sum())),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _right_at_wrong(score: npt.NDArray[np.float64], hit: npt.NDArray[np.bool_], n: int) -> float:
    thresholds = [t for t in np.unique(score) if (~hit[score >= t]).sum() <= WRONG_ALLOWED * n]
    return max((float(hit[score >= t].sum()) / n for t in thresholds), default=0.0)


def _auroc(score: npt.NDArray[np.float64], hit: npt.NDArray[np.bool_]) -> float | None:
    good, bad = score[hit], score[~hit]
    if not (len(good) and len(bad)):
        return None
    above = (good[:, None] > bad).sum() + 0.5 * (good[:, None] == bad).sum()
    return float(above / (len(good) * len(bad)))
