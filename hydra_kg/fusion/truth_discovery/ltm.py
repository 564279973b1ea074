"""LTM: each value is true or false, sources have a sensitivity and a specificity, by Gibbs sampling (Zhao 2012)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from hydra_kg.fusion.model.beliefs import Beliefs, Flags, Ints, Membership, Reals, Slots, membership, slots_of
from hydra_kg.fusion.model.claims import Claims
from hydra_kg.util.fast_dataclass import dataclass, replace


@dataclass(frozen=True, slots=True)
class Ltm:
    """Latent Truth Model with the rates integrated out (collapsed), sampled in ``blocks`` of groups.

    The values of one block are drawn given the counts of all others. With one block for each group this is the sampler
    of the paper, except that values of one group do not see each other. The priors are those of the paper (§5.3): a
    false value is seldom stated (10 of 1,000), sensitivity is open (50 : 50), truth even (10 : 10). The probability of
    a value is the share of samples after ``burn_in`` in which it is true.
    """

    alarms: tuple[float, float] = (10.0, 990.0)
    hits: tuple[float, float] = (50.0, 50.0)
    truth: tuple[float, float] = (10.0, 10.0)
    samples: int = 30
    burn_in: int = 10
    blocks: int = 16
    seed: int = 0
    name: str = "ltm"

    def judge(self, claims: Claims) -> Beliefs:
        """Return the beliefs, with the expected sensitivity as reliability. The same seed gives the same beliefs."""
        random = np.random.default_rng(self.seed)
        slots, pairs = slots_of(claims), membership(claims)
        n = len(claims.sources)
        truth = random.random(len(slots)) < 0.5
        blocks = _blocks(claims, slots, pairs, self.blocks)
        total = np.zeros(len(slots))
        own = [block.counts(truth[block.slots], n) for block in blocks]
        counts = sum(own, np.zeros((2, 2, n)))
        for turn in range(self.burn_in + self.samples):
            for b, block in enumerate(blocks):
                chance = block.probability(self._weights(counts - own[b]), self.truth)
                truth[block.slots] = drawn = random.random(block.size) < chance
                counts -= own[b]
                own[b] = block.counts(drawn, n)
                counts += own[b]
            total += truth * (turn >= self.burn_in)
        stating, silent = counts[1, 1] + self.hits[0], counts[1, 0] + self.hits[1]
        return Beliefs(total / max(1, self.samples), stating / (stating + silent))

    def _weights(self, counts: Reals) -> Reals:
        """Return the log odds of truth for a stated value and for one left out, (2, S).

        ``counts`` (2, 2, S) are by truth, by stated or not, and by source.
        """
        stating = counts[:, 1] + np.array([[self.alarms[0]], [self.hits[0]]])
        silent = counts[:, 0] + np.array([[self.alarms[1]], [self.hits[1]]])
        logs = np.log(np.stack((stating, silent))) - np.log(stating + silent)
        return np.asarray(logs[:, 1] - logs[:, 0])


@dataclass(frozen=True, slots=True)
class _GroupBlock:
    """A run of groups.

    Values with the same sources have one ``kind``, and values whose groups have the same sources one ``circle``.
    ``stated`` and ``near`` are the pairs of these with sources. ``whole`` has the counts of both truths together.
    """

    slots: slice
    kind: Ints
    circle: Ints
    stated: tuple[Ints, Ints]
    near: tuple[Ints, Ints]
    kinds: int
    circles: int
    whole: Reals

    @property
    def size(self) -> int:
        return len(self.kind)

    def counts(self, truth: Flags, n: int) -> Reals:
        """Return the number of values by truth, by stated or not, and by source, (2, 2, n)."""
        weight = truth.astype(np.float64)
        stating = np.bincount(self.stated[1], np.bincount(self.kind, weight, self.kinds)[self.stated[0]], n)
        near = np.bincount(self.near[1], np.bincount(self.circle, weight, self.circles)[self.near[0]], n)
        true = np.stack((near - stating, stating))
        return np.stack((self.whole - true, true))

    def probability(self, weights: Reals, prior: tuple[float, float]) -> Reals:
        """Return the probability that each value is true (size,)."""
        silent = np.bincount(self.near[0], weights[1][self.near[1]], self.circles)
        stated = np.bincount(self.stated[0], (weights[0] - weights[1])[self.stated[1]], self.kinds)
        odds = np.log(prior[0] / prior[1]) + silent[self.circle] + stated[self.kind]
        return np.asarray(1 / (1 + np.exp(-np.clip(odds, -500, 500))))


def _blocks(claims: Claims, slots: Slots, pairs: Membership, number: int) -> list[_GroupBlock]:
    """Return the claims as at most ``number`` blocks of groups."""
    found, n = [], len(claims.sources)
    marks = np.random.default_rng(n).integers(1 << 63, size=n, dtype=np.uint64)
    edges = np.unique(np.linspace(0, len(claims.keys), min(number, len(claims.keys)) + 1).astype(np.int64))
    for a, b in pairwise(edges.tolist()):
        first, last = int(slots.first[a]), int(slots.first[b])
        own = slice(int(claims.starts[a]), int(claims.starts[b]))
        near = slice(*np.searchsorted(pairs.group, (a, b)).tolist())
        kind, stated = _alike(slots.of[own] - first, claims.source[own].astype(np.int64), marks)
        circle, speakers = _alike(pairs.group[near] - a, pairs.source[near], marks)
        block = _GroupBlock(
            slice(first, last),
            kind,
            circle[slots.group[first:last] - a],
            stated,
            speakers,
            len(kind),
            len(circle),
            np.zeros((2, n)),
        )
        found.append(replace(block, whole=block.counts(np.ones(last - first, np.bool_), n)[1]))
    return found


def _alike(of: Ints, source: Ints, marks: npt.NDArray[np.uint64]) -> tuple[Ints, tuple[Ints, Ints]]:
    """Return the kind of each number, equal for equal sets of sources, and the pairs (kind, source).

    Sets are compared by the sums of random ``marks`` of their sources.
    """
    order = np.argsort(of, kind="stable")
    of, source = of[order], source[order]
    starts = np.flatnonzero(np.diff(of, prepend=-1))
    sums = np.add.reduceat(marks[source], starts)
    _, sample, kind = np.unique(sums, return_index=True, return_inverse=True)
    shown = np.zeros(len(starts), np.bool_)
    shown[sample] = True
    rows = shown[of]
    return kind, (kind[of[rows]], source[rows])
