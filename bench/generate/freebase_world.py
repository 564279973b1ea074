"""The world that freebase_dump.py writes down: how many nodes there are, their ids, who is linked to whom.

Sizes grow with the number of lines asked for; degrees are skewed by a power law; a link and its reverse agree
exactly although neither is ever stored (see ``Link``).
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from numpy.typing import NDArray

from bench.generate.freebase_tables import KINDS, LINKS, NAME_VARIANTS, Link

Ints = NDArray[np.int64]

DIGITS = np.frombuffer(b"0123456789bcdfghjklmnpqrstvwxyz_", dtype=np.uint8)  # base 32 of mids


class Matching:
    """One link in a world of a given size: which targets a source has, which sources a target has."""

    def __init__(self, link: Link, number: int, units: int, seed: int) -> None:
        self.link = link
        self.sources, self.targets = KINDS[link.source].count(units), KINDS[link.target].count(units)
        self.slots = max(1, round(link.each * self.sources))
        # Multiplication by a number prime to the count is a permutation; near the golden section it mixes best.
        rng = np.random.default_rng([seed, 1, number])
        factor = int(self.slots * (0.6180339887 + 0.01 * rng.random())) | 1
        while math.gcd(factor, self.slots) != 1:
            factor += 2
        self.factor, self.inverse = factor, pow(factor, -1, self.slots)
        self.shift = int(rng.integers(self.slots))
        self.turn = int(rng.integers(self.targets))  # no two links have their hubs at the same place

    def _rank(self, slot: Ints) -> Ints:
        """The rank of the target that a slot belongs to: monotone, since so is multiplication of floats."""
        x = (slot + 0.5) / self.slots
        for _ in range(self.link.power.bit_length() - 1):
            x = x * x
        return np.minimum((x * self.targets).astype(np.int64), self.targets - 1)

    def _first_slot(self, rank: int) -> int:
        """The first slot of a target's rank."""
        slot = int(self.slots * (rank / self.targets) ** (1 / self.link.power) - 0.5)
        slot = min(max(slot, 0), self.slots)
        while slot > 0 and self._rank(np.array([slot - 1]))[0] >= rank:
            slot -= 1
        while slot < self.slots and self._rank(np.array([slot]))[0] < rank:
            slot += 1
        return slot

    def forward(self, start: int, stop: int) -> tuple[Ints, Ints]:
        """The facts of the sources from ``start`` up to ``stop``: sources and targets, by source, none twice."""
        slot = np.arange(-(-start * self.slots // self.sources), -(-stop * self.slots // self.sources))
        target = (self._rank((slot * self.factor + self.shift) % self.slots) + self.turn) % self.targets
        return self._distinct(slot * self.sources // self.slots, target, self.targets)

    def backward(self, start: int, stop: int) -> tuple[Ints, Ints]:
        """The facts of the targets from ``start`` up to ``stop``: targets and sources, by target, none twice."""
        low, high = start - self.turn, stop - self.turn
        parts = [(low, high)]
        if low < 0:  # the turned range may lie on both sides of the end
            parts = [(low + self.targets, min(high, 0) + self.targets)] + ([(0, high)] if high > 0 else [])
        ends = []
        for first, last in parts:
            slot = np.arange(self._first_slot(first), self._first_slot(last) if last < self.targets else self.slots)
            source = ((slot - self.shift) * self.inverse % self.slots) * self.sources // self.slots
            ends.append(((self._rank(slot) + self.turn) % self.targets, source))
        return self._distinct(
            np.concatenate([target for target, _ in ends]), np.concatenate([source for _, source in ends]), self.sources
        )

    def _distinct(self, near: Ints, far: Ints, size: int) -> tuple[Ints, Ints]:
        """Sorted by the near end; a fact that several slots state is there once; nothing points at itself."""
        key = np.unique(near * size + far)
        near, far = key // size, key % size
        if self.link.source == self.link.target:
            near, far = near[near != far], far[near != far]
        return near, far


_PRIME = 2_147_483_647


class World:
    """All kinds and links at a size of ``units`` (one unit is about one person and what belongs to her)."""

    def __init__(self, units: int, seed: int) -> None:
        self.units, self.seed = units, seed
        self.counts = {name: kind.count(units) for name, kind in KINDS.items()}
        bases = np.cumsum([0, *self.counts.values()]).tolist()
        self.base = dict(zip(self.counts, bases, strict=False))
        self.fillers = bases[-1]  # ids from here on are free
        self.matchings = [Matching(link, number, units, seed) for number, link in enumerate(LINKS)]
        rng = np.random.default_rng([seed, 0])
        self._factor, self._shift = int(rng.integers(10**8, 10**9)) | 1, int(rng.integers(_PRIME))

    def keys(self, kind: str, index: Ints) -> list[bytes]:
        """The ids of nodes, such as ``m.0k3d1x``: a permutation of all numbers, in base 32."""
        return self.keys_at(self.base[kind] + index, KINDS[kind].prefix)

    def keys_at(self, number: Ints, prefix: bytes = b"m.0") -> list[bytes]:
        """The ids of nodes by their number in the whole world; a g-id keeps leading zeros, a mid has none."""
        value = (number * self._factor + self._shift) % _PRIME + 1
        width = 7
        length = np.full(len(value), width)
        if prefix == b"m.0":
            length = (np.floor(np.log2(value)).astype(np.int64) // 5) + 1
        digits = np.zeros((len(value), len(prefix) + width), dtype=np.uint8)
        digits[:, : len(prefix)] = np.frombuffer(prefix, dtype=np.uint8)
        left = value << (5 * (width - length))
        for place in range(width):
            shown = DIGITS[(left >> (5 * (width - 1 - place))) & 31]
            digits[:, len(prefix) + place] = np.where(place < length, shown, 0)
        result: list[bytes] = digits.view(f"S{digits.shape[1]}").ravel().tolist()
        return result


def expected_lines() -> tuple[float, float]:
    """How many lines a world has: per unit, and besides (kinds of a fixed number); doubled facts not subtracted."""
    names = sum(weight * len(languages) * 2 for weight, languages in NAME_VARIANTS) / 100
    per_unit = fixed = 0.0
    for kind in KINDS.values():
        lines = 2.0 * len(kind.types) + 2.0 * sum(1 / (2 + place) for place in range(len(kind.roles)))
        lines += sum(probability for probability, _, _ in kind.values) + kind.key_share * 5 + kind.text_share * 2
        lines += 1 + (0 if kind.mediator else names)  # and one type.type.instance
        if kind.name == "notable":
            lines += 7
        lines += sum(link.each * (2 if link.reverse else 1) for link in LINKS if link.source == kind.name)
        per_unit += kind.share * lines
        fixed += kind.fixed * lines
    return per_unit, fixed
