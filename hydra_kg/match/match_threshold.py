"""Estimate how many rows have a partner, and choose the threshold with the highest expected F1, without labels.

The second best candidate of a row is not its partner, so the second best candidates show which scores occur by chance
in two feeds (target-decoy competition: Elias and Gygi, Nature Methods 4, 2007). The share of rows without a partner
follows from the number of best candidates that score no better than that (Storey, J. R. Stat. Soc. B 64, 2002, with
lambda .5).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from hydra_kg.match.partner_choice import Floats, Ids, estimate_share, share_odds
from hydra_kg.match.row_comparison import RowEvidence
from hydra_kg.match.scores import FEATURES, get_fitted_gap, get_learned_weights, lead, pair_scores
from hydra_kg.util.fast_dataclass import dataclass

FEW_ROWS: Final = 30
"""Number of rows for which the learned probabilities and the scores by chance count equally, if all have a partner."""

_ROUNDS: Final = 30
_STEADY: Final = 1e-4
_F1: Final = (0.1, 0.98)
_DIGITS: Final = 10_000
_ABOVE: Final = 1e-3
_HIGHEST: Final = 50.0  # largest absolute log odds; greater ones tell nothing more


@dataclass(frozen=True, slots=True, eq=False)
class CalibratedPairs:
    """Calibrated probabilities of the pairs of two feeds.

    probabilities: probability of each pair.
    expected: expected number of rows with a partner.
    threshold: probability from which pairs are linked.
    """

    probabilities: Floats
    expected: float
    threshold: float


@dataclass(frozen=True, slots=True)
class Threshold:
    """The threshold with the highest expected F1.

    linked: number of rows that are linked at this threshold.
    usual: half of the expected F1, as log odds.
    expected: expected number of rows with a partner.
    """

    linked: int
    usual: float
    expected: float


def calibrate(
    left: Ids,
    right: Ids,
    said: Floats,
    evidence: RowEvidence,
    *,
    rows: tuple[int, int],
    weights: Floats | None = None,
    widest_gap: float | None = None,
) -> CalibratedPairs:
    """Return the probabilities of the pairs of two feeds and the threshold with the highest expected F1.

    F1 is highest if those pairs are linked whose probability is at least half of it (Lipton, Elkan and Naryanaswamy,
    ECML PKDD 2014). So all log odds are moved until that is true.

    said, weights: see :func:`hydra_kg.match.scores.pair_scores`.
    rows: number of rows of the left and the right feed.
    widest_gap: see :func:`choose_threshold`; by default the fitted quantile.
    """
    weights = get_learned_weights() if weights is None else weights
    widest_gap = get_fitted_gap() if widest_gap is None else widest_gap
    score = pair_scores(left, right, said, evidence, weights=weights)
    share = estimate_share(left, right, score, rows=rows)
    score = score + np.log(share / (1 - share))
    best, second, third = _best_log_odds(left, right, score, evidence, rows=rows, weights=weights)
    found = choose_threshold(best, second, third, widest_gap=widest_gap)
    score = score + found.usual - _place(best, found)
    (best,) = _best_log_odds(left, right, score, evidence, rows=rows, weights=weights, ranks=1)
    odds = np.exp(np.clip(score, -_HIGHEST, _HIGHEST))
    threshold = max(1.0, np.floor(_DIGITS / (1 + np.exp(-_place(best, found))))) / _DIGITS
    return CalibratedPairs(share_odds(left, right, odds), max(found.expected, 1.0), float(threshold))


def _place(best: Floats, found: Threshold) -> float:
    """Return log odds that link the best number of rows, as near to the usual log odds as possible."""
    ranked = np.sort(best)[::-1]
    lowest = ranked[found.linked] + _ABOVE if found.linked < len(ranked) else -np.inf
    return float(min(max(found.usual, lowest), ranked[found.linked - 1]))


def choose_threshold(best: Floats, second: Floats, third: Floats, *, widest_gap: float) -> Threshold:
    """Return the threshold with the highest expected F1, given the three best candidates of each row.

    best, second, third: log odds of these candidates, each as if it had no better rival. They are minus infinity where
    there is no candidate.
    widest_gap: quantile at which gaps between candidates are cut.

    In a row with a partner, the best other candidate scores like ``second``. In a row without one, ``best`` is a chance
    score as well, and its lead over ``second`` is twice the lead of ``second`` over ``third`` (Rényi's representation
    of order statistics). This gap is cut at its quantile ``widest_gap``, because the widest gaps belong to rows whose
    partner is second.

    The number of best candidates less the number of those by chance estimates the number of right ones. If most rows
    have no partner, that is a small difference of large numbers. So it is weighted by the share of rows that have a
    partner, and the learned probabilities have the rest of the weight.
    """
    known = np.isfinite(second)
    chance, followed = second[known], np.isfinite(third[known])
    gap = np.where(followed, chance - np.where(followed, third[known], 0), 0.0)
    if followed.any():
        gap[~followed] = gap[followed].mean()
        gap = np.minimum(gap, np.quantile(gap, widest_gap))
    without, above = _share_without_partner(best[known], chance, chance + 2 * np.maximum(gap, 0))
    ranked = np.sort(best)[::-1]
    linked = np.arange(1, len(ranked) + 1)
    matches = (1 - without) * len(ranked)
    right = np.clip(linked - without * len(ranked) * above(ranked), 0, matches)
    learned = np.cumsum(1 / (1 + np.exp(-ranked)))
    trust = (1 - without) * known.sum() / (known.sum() + FEW_ROWS)
    expected = float(trust * matches + (1 - trust) * learned[-1])
    f1 = 2 * (trust * right + (1 - trust) * learned) / (linked + max(expected, 1.0))
    at = int(f1.argmax())
    half = min(max(f1[at], _F1[0]), _F1[1]) / 2
    return Threshold(at + 1, float(np.log(half / (1 - half))), expected)


def _share_without_partner(target: Floats, chance: Floats, alone: Floats) -> tuple[float, Callable[[Floats], Floats]]:
    """Return the share of rows without a partner, and a function from log odds to the share of chance above them.

    target: the best log odds of each row.
    chance: the best log odds by chance in a row with a partner.
    alone: the best log odds by chance in a row without one.
    """
    if not len(target):
        return 1.0, np.zeros_like
    null = np.r_[chance, alone]
    order = np.argsort(null, kind="stable")
    null, is_alone = null[order], order >= len(chance)
    without = 0.5
    for _ in range(_ROUNDS):
        below = np.cumsum(np.where(is_alone, without, 1 - without)) / len(target)
        median = null[np.searchsorted(below, 0.5)]
        before, without = without, min(1.0, float((target <= median).mean() / below[null <= median][-1]))
        if abs(without - before) < _STEADY:
            break
    return without, lambda value: 1 - np.r_[0.0, below][np.searchsorted(null, value, side="left")]


def _best_log_odds(
    left: Ids,
    right: Ids,
    score: Floats,
    evidence: RowEvidence,
    *,
    rows: tuple[int, int],
    weights: Floats,
    ranks: int = 3,
) -> list[Floats]:
    """Return the log odds of the ``ranks`` best candidates of each row of the smaller feed, one array per rank.

    The log odds of each rank are computed after removing the better candidates. They are minus infinity where there is
    no candidate.
    """
    row, other, side = (left, right, "left") if rows[0] <= rows[1] else (right, left, "right")
    margins = [
        (weights[FEATURES.index(f"{name}, margin {side}")], value, lead(row, value))
        for name, value in (("words", evidence.words.astype(float)), ("letters", evidence.letters.astype(float)))
    ]
    _, place = np.unique(row, return_inverse=True)
    _, at = np.unique(other, return_inverse=True)
    odds = np.exp(np.clip(score, -_HIGHEST, _HIGHEST))
    rivals = np.bincount(at, odds)[at] - odds
    rest, count, found = np.arange(len(row)), int(place.max()) + 1, []
    for _ in range(ranks):
        best = np.full(count, -np.inf)
        found.append(best)
        if not len(rest):
            continue
        gain = sum(weight * (lead(row[rest], value[rest]) - before[rest]) for weight, value, before in margins)
        odds = np.exp(np.clip(score[rest] + gain, -_HIGHEST, _HIGHEST))
        value = np.log(odds / (1 + np.bincount(place[rest], odds, minlength=count)[place[rest]] + rivals[rest] - odds))
        order = np.lexsort((-value, place[rest]))
        first = order[np.r_[True, np.diff(place[rest][order]) > 0]]
        best[place[rest][first]] = value[first]
        rest = np.delete(rest, first)
    return found
