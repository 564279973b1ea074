"""LTM: each value is true or false, sources have a sensitivity and a specificity, by Gibbs sampling (Zhao 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hydra_kg.fusion.beliefs import Beliefs, Flags, Ints, Reals, Slots, slots_of
from hydra_kg.fusion.claims import Claims
from hydra_kg.fusion.two_sided import Membership, membership


@dataclass(frozen=True, slots=True)
class Ltm:
    """Latent Truth Model with the rates integrated out (collapsed), sampled in ``blocks`` of groups.

    The values of one block are drawn given the counts of all others; with a block per group this is the sampler of the
    paper but for values of one group, which do not see each other. Priors as there (§5.3): a false value is seldom
    stated (10 of 1,000), sensitivity is open (50 : 50), truth even (10 : 10). Probability: share of the samples after
    ``burn_in`` in which a value is true.
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
        """Reliability is the expected sensitivity. The same seed gives the same beliefs."""
        random = np.random.default_rng(self.seed)
        slots, pairs = slots_of(claims), membership(claims)
        n = len(claims.sources)
        truth = random.random(len(slots)) < 0.5
        blocks = _blocks(claims, slots, pairs, self.blocks)
        total = np.zeros(len(slots))
        counts = sum((block.counts(truth, n) for block in blocks), np.zeros((2, 2, n)))
        for turn in range(self.burn_in + self.samples):
            for block in blocks:
                counts -= block.counts(truth, n)
                truth[block.slots] = random.random(block.size) < block.probability(self._weights(counts), self.truth)
                counts += block.counts(truth, n)
            total += truth * (turn >= self.burn_in)
        said, silent = counts[1, 1] + self.hits[0], counts[1, 0] + self.hits[1]
        return Beliefs(total / max(1, self.samples), said / (said + silent))

    def _weights(self, counts: Reals) -> Reals:
        """(2, S): log odds of truth for a stated value and for one left out; counts by truth, stated or not, S."""
        said = counts[:, 1] + np.array([[self.alarms[0]], [self.hits[0]]])
        silent = counts[:, 0] + np.array([[self.alarms[1]], [self.hits[1]]])
        logs = np.log(np.stack((said, silent))) - np.log(said + silent)
        return np.asarray(logs[:, 1] - logs[:, 0])


@dataclass(frozen=True, slots=True)
class _Block:
    """A run of groups: its slots, its claims (slot from the run's first, source), its (group, source) pairs."""

    slots: slice
    claims: tuple[Ints, Ints]
    pairs: tuple[Ints, Ints]
    group: Ints
    groups: int

    @property
    def size(self) -> int:
        return self.slots.stop - self.slots.start  # type: ignore[no-any-return]

    def counts(self, truth: Flags, n: int) -> Reals:
        """(2, 2, n): values by truth, stated or not, and source."""
        own = truth[self.slots].astype(np.float64)
        found = np.zeros((2, 2, n))
        for side, weight in ((1, own), (0, 1 - own)):
            found[side, 1] = np.bincount(self.claims[1], weight[self.claims[0]], n)
            held = np.bincount(self.group, weight, self.groups)
            found[side, 0] = np.bincount(self.pairs[1], held[self.pairs[0]], n) - found[side, 1]
        return found

    def probability(self, weights: Reals, prior: tuple[float, float]) -> Reals:
        """(slots,): that each value is true."""
        silent = np.bincount(self.pairs[0], weights[1][self.pairs[1]], self.groups)
        stated = np.bincount(self.claims[0], (weights[0] - weights[1])[self.claims[1]], self.size)
        odds = np.log(prior[0] / prior[1]) + silent[self.group] + stated
        return np.asarray(1 / (1 + np.exp(-np.clip(odds, -500, 500))))


def _blocks(claims: Claims, slots: Slots, pairs: Membership, number: int) -> list[_Block]:
    found = []
    edges = np.unique(np.linspace(0, len(claims.keys), min(number, len(claims.keys)) + 1).astype(np.int64))
    for a, b in pairwise(edges.tolist()):
        first, last = int(slots.first[a]), int(slots.first[b])
        own = slice(int(claims.starts[a]), int(claims.starts[b]))
        near = slice(*np.searchsorted(pairs.group, (a, b)).tolist())
        found.append(
            _Block(
                slice(first, last),
                (slots.of[own] - first, claims.source[own].astype(np.int64)),
                (pairs.group[near] - a, pairs.source[near]),
                slots.group[first:last] - a,
                int(b - a),
            )
        )
    return found
