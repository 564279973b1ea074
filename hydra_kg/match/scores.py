"""Score candidate pairs of two feeds: a log-linear model whose weights were learned on public pairs of feeds."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hydra_kg.match.row_comparison import RowEvidence

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]

FEATURES: Final = (
    "columns",
    "columns above 10",
    "columns below 0",
    "words",
    "words, margin left",
    "words, margin right",
    "code",
    "letters",
    "letters, margin left",
    "letters, margin right",
    "left over",
)
"""Features of the log odds of a pair.

``columns`` is a tenth of the sum of Splink's logarithms of Bayes factors. A margin is the lead over the best other
candidate of the left or right row.
"""

CODES: Final = 12.0
"""Log odds that equal codes add, and different codes subtract, in a column of codes that both feeds use.

They decide before prose.
"""

NEAR: Final = 4.0
"""Log odds that near codes subtract if rows share no code: XR4410 and XR4460 are two models, even in similar prose."""

_LOWEST: Final = -20.0
_HIGHEST: Final = 40.0


def pair_scores(left: Ids, right: Ids, said: Floats, evidence: RowEvidence, *, weights: Floats | None = None) -> Floats:
    """Return the log odds of each pair against having no partner, if half of the rows have a partner.

    said: sum of the evidence of all columns for the pair, in natural logarithms of Bayes factors.
    weights: weights of the features and, last, the constant; by default the learned ones.
    """
    weights = get_learned_weights() if weights is None else weights
    learned = features(left, right, said, evidence) @ weights[:-1] + weights[-1]
    return np.asarray(learned + CODES * evidence.codes - NEAR * evidence.near_codes)


def get_learned_weights() -> Floats:
    """Return the weights of the features and, last, the constant."""
    return np.array(
        [*(_read_weights_file()["features"][name] for name in FEATURES), _read_weights_file()["constant"]], np.float64
    )


def get_fitted_gap() -> float:
    """Return the quantile at which :func:`hydra_kg.match.match_threshold.choose_threshold` cuts gaps."""
    return float(_read_weights_file()["widest_gap"])


@cache
def _read_weights_file() -> dict[str, Any]:
    """Return the document that ``bench/training/match_weights.py --write`` wrote."""
    document: dict[str, Any] = json.loads(files("hydra_kg.match").joinpath("weights.json").read_text("utf-8"))
    return document


def features(left: Ids, right: Ids, said: Floats, evidence: RowEvidence) -> Floats:
    """Return float64 (n, len(FEATURES)): the features of each pair in the order of :data:`FEATURES`."""
    columns = np.clip(said, _LOWEST, _HIGHEST) / 10
    words, letters = evidence.words.astype(np.float64), evidence.letters.astype(np.float64)
    return np.column_stack(
        [
            columns,
            np.maximum(columns - 1, 0),
            np.minimum(columns, 0),
            words,
            lead(left, words),
            lead(right, words),
            evidence.code,
            letters,
            lead(left, letters),
            lead(right, letters),
            evidence.left_over,
        ]
    )


def lead(row: Ids, value: Floats) -> Floats:
    """Return the lead of each value over the best other value of its row, or the value itself if it has no rival."""
    order = np.lexsort((-value, row))
    sorted_row, sorted_value = row[order], value[order]
    starts = np.flatnonzero(np.r_[True, sorted_row[1:] != sorted_row[:-1]])
    sizes = np.diff(np.r_[starts, len(row)])
    best = sorted_value[starts]
    second = np.where(sizes > 1, sorted_value[np.minimum(starts + 1, len(row) - 1)], 0.0)
    group = np.repeat(np.arange(len(starts)), sizes)
    first = np.arange(len(row)) == starts[group]
    out = np.empty(len(value))
    out[order] = sorted_value - np.where(first, second[group], best[group])
    return out
