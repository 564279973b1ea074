"""Chooses one partner per row: probabilities among all candidates, then a one-to-one assignment."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]

THRESHOLD: Final = 0.05
"""Probability from which the best partner of a row is accepted where every row has one (docs/results/matching.md)."""

THRESHOLD_ALONE: Final = 0.25
"""What is added to that where no row has a partner; in between, in proportion to the square of the share without."""

THRESHOLD_LEARNED: Final = 0.5
"""The same after labels, which say what a probability is worth."""

THRESHOLD_WITHIN: Final = 0.5
"""The same for repeated rows of one feed, which have no rivals."""

MARGIN: Final = 0.02
"""Log odds by which the best candidate of a row must lead for the row to be linked."""

BETWEEN: Final = 0.5
"""Mean probability between the rows of two groups from which they are one thing."""

_SHARE: Final = 0.4
"""Share of rows with a partner that is believed before any pair is seen; it counts :data:`_FIRMNESS` times as much as
what the pairs show."""

_FIRMNESS: Final = 0.5

_SHARES: Final = (0.02, 0.98)
"""Least and greatest share that is believed."""

_ROUNDS: Final = 100
_STEADY: Final = 1e-3
_HIGHEST: Final = 50.0  # log odds beyond these tell nothing more


def partner_probabilities(left: Ids, right: Ids, score: Floats, *, rows: tuple[int, int]) -> tuple[Floats, float]:
    """Return the probability of each pair across two feeds, and the number of matches that these amount to.

    ``score``: log odds of each pair if half of the rows have a partner. A row has one partner or none, so its odds are
    shared among its candidates and nobody. The share of rows of the smaller feed that have a partner is estimated from
    the probabilities themselves (Saerens, Latinne and Decaestecker, Neural Computation 14, 2002, Eq. 2.9).
    """
    _, a = np.unique(left, return_inverse=True)
    _, b = np.unique(right, return_inverse=True)
    p, share = np.zeros(len(score)), 0.5
    for _ in range(_ROUNDS):
        odds = np.exp(np.clip(score + np.log(share / (1 - share)), -_HIGHEST, _HIGHEST))
        p = odds / (1 + np.bincount(a, odds)[a] + np.bincount(b, odds)[b] - odds)
        before, share = share, (float(p.sum()) / min(rows) + _FIRMNESS * _SHARE) / (1 + _FIRMNESS)
        share = min(max(share, _SHARES[0]), _SHARES[1])
        if abs(share - before) < _STEADY / 10:
            break
    return p, max(float(p.sum()), 1.0)


def usual_threshold(expected: float, *, rows: tuple[int, ...]) -> float:
    """Return the probability from which pairs are accepted if nobody chose one: low where nearly every row of the
    smaller feed has a partner, higher where most have none."""
    if len(rows) == 1:
        return THRESHOLD_WITHIN
    alone = 1 - min(1.0, expected / min(rows))
    return round(THRESHOLD + THRESHOLD_ALONE * alone**2, 2)


def probabilities_within(said: Floats, *, rows: int) -> tuple[Floats, float]:
    """Return the probability of each pair within one feed, and the number of matches that these amount to.

    ``said``: what all columns together say, as natural logarithms of Bayes factors. A thing may have many rows here.
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
    """The places of the pairs of at least that probability in which both rows have no better partner left, most
    probable first."""
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
    left: Ids, right: Ids, p: Floats, chosen: npt.NDArray[np.intp], *, threshold: float
) -> dict[int, list[int]]:
    """Return the chosen pairs of at least ``threshold`` that are ambiguous, each with its rivals (places of pairs).

    A rival shares a row with the pair and is as probable within :data:`MARGIN`, and its other row has no clearly better
    partner.
    """
    odds = np.log(np.clip(p, 1e-12, 1 - 1e-12)) - np.log(np.clip(1 - p, 1e-12, 1))
    taken = [p[i] >= threshold for i in chosen]
    passing = chosen[np.array(taken, np.bool_)] if len(chosen) else chosen
    by_left = dict(zip(left[passing].tolist(), passing.tolist(), strict=True))
    by_right = dict(zip(right[passing].tolist(), passing.tolist(), strict=True))
    near = np.flatnonzero(p >= threshold * np.exp(-MARGIN))
    found: dict[int, list[int]] = {}
    for rival, a, b in zip(near.tolist(), left[near].tolist(), right[near].tolist(), strict=True):
        mine, other = by_left.get(a), by_right.get(b)
        for i, elsewhere in ((mine, other), (other, mine)):
            if i is None or i == rival or odds[rival] < odds[i] - MARGIN:
                continue
            if elsewhere is None or elsewhere == rival or odds[elsewhere] <= odds[rival] + MARGIN:
                found.setdefault(i, []).append(rival)
    return found


def in_groups(left: Ids, right: Ids, p: Floats, *, threshold: float) -> npt.NDArray[np.intp]:
    """Within one feed a thing may have many rows: the places of all pairs, most probable first, without those of at
    least ``threshold`` whose rows do not belong to one group.

    Groups are joined pair by pair while the mean probability between their rows, 0 for pairs that were not compared, is
    at least :data:`BETWEEN` (average linkage), so that a chain of doubtful pairs joins nothing.
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
