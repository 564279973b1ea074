"""What relations do in the data: which of them state the same, and which have one end, in a sample of the store."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.fusion.sampled import Once, classes_from
from hydra_kg.ports import Snapshot
from hydra_kg.steps.hops import HopGraph, legs_of

STARTS: Final = (None, *(1 << k for k in range(8, 63, 2)))
PAGE: Final = 400
"""The sample: so many classes behind each of these."""

BUDGET: Final = 300_000
ENOUGH: Final = 3
"""Ends that both relations could give before they are compared."""

AGREE: Final = 0.6
"""Share of what both could give that both do give, from which two relations state the same."""

MOST_PAIRS: Final = 300
"""Pairs of a relation between which other relations are looked for."""


@dataclass(frozen=True, eq=False)
class Profile:
    """Hops of sampled classes by code: ``codes`` int64 (n,) ascending, ``walkers`` and ``ends`` beside it."""

    base: int
    codes: Ids
    walkers: Ids
    ends: Ids
    _known: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    _likes: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def same(self, one: int, other: int) -> tuple[int, int]:
        """(ends that both give, ends that could be given by both) over the things that have both relations, walked as
        they are and the other way round."""
        key = (min(one, other), max(one, other))
        if key not in self._known:
            ways = [(one, other), (backward(one, self.base), backward(other, self.base))]
            found = [shared(self._of(a), self._of(b)) for a, b in ways]
            self._known[key] = (sum(f[0] for f in found), sum(f[1] for f in found))
        return self._known[key]

    def likes(self, code: int) -> tuple[int, ...]:
        """Codes of other hops that lead to the same ends wherever both are stated: what other sources call it."""
        if code not in self._likes:
            mine = self._of(code)[:MOST_PAIRS]
            beside = self._beside(mine) | {
                backward(c, self.base) for c in self._beside(self._of(backward(code, self.base))[:MOST_PAIRS])
            }
            self._likes[code] = tuple(sorted(c for c in beside - {code} if self.agree(code, c)))
        return self._likes[code]

    def agree(self, one: int, other: int) -> bool:
        """Whether two hops state the same, by what they have in common."""
        both, could = self.same(one, other)
        return could >= ENOUGH and both >= AGREE * could

    def _beside(self, pairs: Ids) -> set[int]:
        """Codes of the hops between the same walkers and ends as some pairs."""
        found: set[int] = set()
        for walker, end in pairs.tolist():
            a, b = np.searchsorted(self._by_walker[0], [walker, walker + 1])
            rows = self._by_walker[1][a:b]
            found |= set(self.codes[rows[self.ends[rows] == end]].tolist())
        return found

    @cached_property
    def _by_walker(self) -> tuple[Ids, Ids]:
        """Walkers, ascending, and the rows in their order."""
        order = np.argsort(self.walkers, kind="stable")
        return self.walkers[order], order

    def single(self, code: int) -> tuple[float, int]:
        """Share of the things with this relation that have one end, and how many have it."""
        pairs = self._of(code)
        walkers, counts = np.unique(np.unique(pairs, axis=0)[:, 0], return_counts=True)
        return (float((counts == 1).mean()), len(walkers)) if len(walkers) else (0.0, 0)

    def _of(self, code: int) -> Ids:
        """int64 (k, 2): walker and end of each hop of a code."""
        a, b = np.searchsorted(self.codes, [code, code + 1])
        return np.stack([self.walkers[a:b], self.ends[a:b]], axis=1)


def shared(one: Ids, other: Ids) -> tuple[int, int]:
    """Pairs (int64 (k, 2)) that are in both, and how many could be: of each thing in both, the smaller number."""
    one, other = np.unique(one, axis=0), np.unique(other, axis=0)
    first, n_first = np.unique(one[:, 0], return_counts=True)
    second, n_second = np.unique(other[:, 0], return_counts=True)
    _, i, j = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    could = int(np.minimum(n_first[i], n_second[j]).sum())
    if not could:
        return 0, 0
    both = np.unique(np.concatenate([one, other]), axis=0)
    return len(one) + len(other) - len(both), could


def backward(code: int, base: int) -> int:
    """The code of the same hop walked the other way."""
    legs = [leg ^ 1 for leg in reversed(legs_of(code, base))]
    return legs[0] if len(legs) == 1 else (legs[0] + 1) * base + legs[1]


def _profile(snapshot: Snapshot, base: int) -> Profile:
    classes = classes_from(snapshot, STARTS, PAGE)
    graph = HopGraph(snapshot.cut(classes, depth=1, budget=BUDGET), predicates=base // 2)
    hops = graph.walk(graph.topics)
    order = np.argsort(hops.code, kind="stable")
    ids = graph.ids
    return Profile(base, hops.code[order], ids[graph.topics][hops.walker[order]], ids[hops.end[order]])


profile = Once(_profile, most=8)
"""The profile of a snapshot under a base of codes, made once for its loads."""
