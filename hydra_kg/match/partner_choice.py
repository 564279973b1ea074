"""Choose one partner per row: compute probabilities among all candidates, then a one-to-one assignment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]
Twins = Callable[[Sequence[tuple[int, int]]], Iterable[tuple[int, int]]]
"""Function that selects places of two pairs with a common row, if no cell of that row distinguishes the others."""

THRESHOLD: Final = 0.5
"""Probability from which pairs are linked within one feed, or after labels, which calibrate the probabilities."""

MARGIN: Final = 0.25
"""Log odds by which the best candidate of a row must lead for the row to be linked (docs/results/matching.md)."""

MOST_RIVALS: Final = 10
"""Largest number of equally good candidates with which a row is listed as ambiguous."""

BETWEEN: Final = 0.5
"""Mean probability between the rows of two groups from which the groups are one thing."""

_SHARE: Final = 0.4
"""Share of rows with a partner that is assumed before any pair is seen.

It counts :data:`_FIRMNESS` times as much as the pairs.
"""

_FIRMNESS: Final = 0.5

_SHARES: Final = (0.02, 0.98)
"""Smallest and largest share of rows with a partner that is accepted."""

_ROUNDS: Final = 100
_STEADY: Final = 1e-3
_HIGHEST: Final = 50.0  # largest absolute log odds; greater ones tell nothing more


def estimate_share(left: Ids, right: Ids, score: Floats, *, rows: tuple[int, int]) -> float:
    """Return the share of rows of the smaller feed that have a partner, from the scores of all pairs.

    score: log odds of each pair if half of the rows have a partner.

    The share is estimated from the probabilities themselves (Saerens, Latinne and Decaestecker, Neural Computation 14,
    2002, Eq. 2.9).
    """
    share = 0.5
    for _ in range(_ROUNDS):
        odds = np.exp(np.clip(score + np.log(share / (1 - share)), -_HIGHEST, _HIGHEST))
        expected = float(share_odds(left, right, odds).sum())
        before, share = share, (expected / min(rows) + _FIRMNESS * _SHARE) / (1 + _FIRMNESS)
        share = min(max(share, _SHARES[0]), _SHARES[1])
        if abs(share - before) < _STEADY / 10:
            break
    return share


def share_odds(left: Ids, right: Ids, odds: Floats) -> Floats:
    """Return the probability of each pair across two feeds.

    A row has one partner or none, so its odds are shared among its candidates and the case that it has none.
    """
    _, a = np.unique(left, return_inverse=True)
    _, b = np.unique(right, return_inverse=True)
    return np.asarray(odds / (1 + np.bincount(a, odds)[a] + np.bincount(b, odds)[b] - odds))


def probabilities_within(said: Floats, *, rows: int) -> tuple[Floats, float]:
    """Return the probability of each pair within one feed, and the number of matches that these amount to.

    said: sum of the evidence of all columns, as natural logarithms of Bayes factors.

    Here, unlike across two feeds, a thing may have many rows.
    """
    pairs, expected = max(rows * (rows - 1) / 2, 1.0), 0.5 * rows
    p = np.zeros(len(said))
    for _ in range(_ROUNDS):
        prior = min(expected / pairs, 0.5)
        p = 1 / (1 + np.exp(-np.clip(said + np.log(prior / (1 - prior)), -_HIGHEST, _HIGHEST)))
        before, expected = expected, max(float(p.sum()), 1.0)
        if abs(expected / before - 1) < _STEADY:
            break
    return p, expected


def one_to_one(left: Ids, right: Ids, p: Floats, *, least: float = 0.0) -> npt.NDArray[np.intp]:
    """Return the places of the pairs of a one-to-one assignment, most probable first.

    Each chosen pair has at least the probability ``least``, and neither of its rows has a better partner left.
    """
    taken_left: set[int] = set()
    taken_right: set[int] = set()
    chosen = []
    likely = np.flatnonzero(p >= least)
    order = likely[np.lexsort((right[likely], left[likely], -p[likely]))]
    for i, a, b in zip(order.tolist(), left[order].tolist(), right[order].tolist(), strict=True):
        if a not in taken_left and b not in taken_right:
            taken_left.add(a)
            taken_right.add(b)
            chosen.append(i)
    return np.array(chosen, np.intp)


def find_rivals(
    left: Ids, right: Ids, p: Floats, chosen: npt.NDArray[np.intp], *, threshold: float, twins: Twins | None = None
) -> dict[int, list[int]]:
    """Return the chosen pairs that are ambiguous, each with its rivals (places of pairs).

    A rival shares a row with the pair, and its other row has no clearly better partner. It is as probable as the pair
    within :data:`MARGIN`, or ``twins`` finds that the shared row cannot distinguish the two. The probability that one
    of them is right is at least ``threshold``.
    """
    odds = np.log(np.clip(p, 1e-12, 1 - 1e-12)) - np.log(np.clip(1 - p, 1e-12, 1))
    least = threshold / MOST_RIVALS
    passing = chosen[p[chosen] >= least]
    by_left = dict(zip(left[passing].tolist(), passing.tolist(), strict=True))
    by_right = dict(zip(right[passing].tolist(), passing.tolist(), strict=True))
    near = np.flatnonzero(p >= least * np.exp(-MARGIN))
    close: list[tuple[int, int]] = []
    others: list[tuple[int, int]] = []
    for rival, a, b in zip(near.tolist(), left[near].tolist(), right[near].tolist(), strict=True):
        mine, other = by_left.get(a), by_right.get(b)
        for i, elsewhere in ((mine, other), (other, mine)):
            if i is None or i == rival:
                continue
            if elsewhere is None or elsewhere == rival or odds[elsewhere] <= odds[rival] + MARGIN:
                (close if odds[rival] >= odds[i] - MARGIN else others).append((i, rival))
    found: dict[int, list[int]] = {}
    for i, rival in [*close, *(twins([pair for pair in others if p[pair[0]] < 1]) if twins and others else ())]:
        found.setdefault(i, []).append(rival)
    return {i: rivals for i, rivals in found.items() if p[i] + p[rivals].sum() >= threshold}


def select_within_feed(left: Ids, right: Ids, p: Floats, *, threshold: float) -> npt.NDArray[np.intp]:
    """Return the places of the pairs within one feed, most probable first, without linked pairs across groups.

    Within one feed a thing may have many rows. A pair of at least ``threshold`` is left out if its rows are not in one
    group. Pairs below the threshold are all returned.

    Groups are joined pair by pair while the mean probability between their rows is at least :data:`BETWEEN` (average
    linkage). Pairs that were not compared count as 0. So a chain of doubtful pairs joins nothing.
    """
    known: dict[int, dict[int, float]] = {}
    for a, b, q in zip(left.tolist(), right.tolist(), p.tolist(), strict=True):
        known.setdefault(a, {})[b] = q
        known.setdefault(b, {})[a] = q
    group = {row: row for row in known}
    members = {row: [row] for row in known}
    order = np.lexsort((right, left, -p))
    for i in order.tolist():
        a, b = group[int(left[i])], group[int(right[i])]
        if p[i] < threshold:
            break
        if a == b:
            continue
        if len(members[a]) < len(members[b]):
            a, b = b, a
        between = sum(known[x].get(y, 0.0) for x in members[b] for y in members[a])
        if between >= BETWEEN * len(members[a]) * len(members[b]):
            for row in members[b]:
                group[row] = a
            members[a] += members.pop(b)
    together = np.array([group[a] == group[b] for a, b in zip(left.tolist(), right.tolist(), strict=True)], np.bool_)
    return order[(p[order] < threshold) | together[order]]
