"""Chooses one partner per row: probabilities among all candidates, then a one-to-one assignment."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]

THRESHOLD: Final = 0.1
"""Probability from which the best partner of a row is taken for the same thing, unless somebody says otherwise
(docs/results/matching.md): rivals share a row's probability, so that of the right one is rather too low."""

THRESHOLD_LEARNED: Final = 0.5
"""The same after labels, which say what a probability is worth."""

THRESHOLD_WITHIN: Final = 0.5
"""The same for repeated rows of one feed, which have no rivals."""

BETWEEN: Final = 0.5
"""Mean probability between the rows of two groups from which they are one thing."""

_ROUNDS: Final = 30
_STEADY: Final = 1e-3
_LARGEST: Final = 600.0  # exp() of more is no number


def probabilities(left: Ids, right: Ids, said: Floats, *, rows: tuple[int, ...]) -> tuple[Floats, float]:
    """The probability of each pair left[i], right[i] for which all columns together say ``said[i]`` (natural logarithm
    of a Bayes factor), and the number of matches that these amount to.

    Across two feeds a row has at most one partner: its odds are shared among all its candidates and nobody. How many
    rows have a partner at all is estimated from the probabilities themselves, from half of the smaller feed on.
    """
    within = len(rows) == 1
    pairs = rows[0] * (rows[0] - 1) / 2 if within else float(rows[0]) * rows[1]
    expected = 0.5 * min(rows)
    _, a = np.unique(left, return_inverse=True)
    _, b = np.unique(right, return_inverse=True)
    p = np.zeros(len(said))
    for _ in range(_ROUNDS):
        prior = min(expected / max(pairs, 1.0), 0.5)
        odds = np.exp(np.minimum(said + np.log(prior / (1 - prior)), _LARGEST))
        others = 0.0 if within else np.bincount(a, odds)[a] + np.bincount(b, odds)[b] - 2 * odds
        p = odds / (1 + odds + others)
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
