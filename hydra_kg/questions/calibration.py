"""How probable it is that an answer is right, by the confidence of what found it."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np

from hydra_kg.citations import SURE
from hydra_kg.domain import UNSURE, Floats

_STEP: Final = 1e-4
"""Distance to the next label, so that an answer that was not sure does not become sure."""

_OWN: Final = 0.1
"""Share of the confidence itself, so that of two answers with one label the more confident one still is."""


def calibrate(confidence: float, points: Floats | None = None) -> float:
    """Return the probability, in [0, 1], of an answer that was found with this confidence.

    Interpolates between points (confidence, share right), shape (n, 2), within the bounds of the label (not sure,
    fairly sure, sure) that the confidence has. ``bench/training/fit_calibration.py`` fits those of
    ``calibration.json``.
    """
    least = max((bound for bound in (UNSURE, SURE) if confidence >= bound), default=0.0)
    most = min((bound - _STEP for bound in (UNSURE, SURE) if confidence < bound), default=1.0)
    given, right = (_points() if points is None else points).T
    probable = float(np.clip(np.interp(confidence, given, right), least, most))
    return round((1 - _OWN) * probable + _OWN * confidence, 4)


@cache
def _points() -> Floats:
    text = files("hydra_kg.questions").joinpath("calibration.json").read_text("utf-8")
    return np.array(json.loads(text), np.float32)
