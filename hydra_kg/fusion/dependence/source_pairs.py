"""Pairwise comparison of sources: on how many items they state the same value, on how many different ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hydra_kg.fusion.model.beliefs import SHARE, Flags, Ints, Reals, Slots, slots_of
from hydra_kg.fusion.model.claims import Claims

# Sources compared pair by pair: those with the most claims that count. Values of one item that are compared: those
# that most sources state. Cells of one block of the comparison.
MOST_SOURCES = 500
MOST_VALUES = 64
BLOCK = 8_000_000
_Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Items:
    """Items on which two sources are compared, each counted once: a contested group, or each of its values where
    several may be true.

    Claims (M,), items ascending: ``source`` and ``slot``; slots, items and groups are numbered from 0. ``home`` (V,):
    each slot's item; ``rank`` (V,): its place among the item's values, most stated first. ``group`` (I,): each item's.
    Groups ascend with items. ``many`` (G,): whether several values of a group may be true. ``sources``: how many.
    """

    source: Ints
    slot: Ints
    home: Ints
    rank: Ints
    group: Ints
    many: Flags
    sources: int

    @staticmethod
    def of(claims: Claims, *, noise: bool = False) -> Items:
        """Of values that two sources or more state, where one is true instead of the commonest; ``noise``: of all."""
        slots = slots_of(claims)
        several = claims.many if len(claims.many) else np.zeros(len(slots.size), np.bool_)
        votes = np.bincount(slots.of, minlength=len(slots))
        apart = votes if noise else _instead(claims, slots, votes, several)
        stated = apart > (0 if noise else 1)
        contested = np.bincount(slots.group[stated], minlength=len(slots.size)) > 1
        order = np.flatnonzero(stated & contested[slots.group])
        order = order[np.lexsort((-votes[order], slots.group[order]))]
        group = slots.group[order]
        new = several[group] | (np.diff(group, prepend=-1) != 0)
        home = np.cumsum(new) - 1
        rank = np.arange(len(order)) - np.flatnonzero(new)[home]
        order, home, rank = (column[rank < MOST_VALUES] for column in (order, home, rank))
        number, renumbered = np.full(len(slots), -1), np.cumsum(contested) - 1
        number[order] = np.arange(len(order))
        slot = number[slots.of]
        selected = np.flatnonzero(slot >= 0)
        selected = selected[np.argsort(slot[selected], kind="stable")]
        return Items(
            claims.source[selected].astype(np.int64),
            slot[selected],
            home,
            rank,
            renumbered[group[new]],
            several[contested],
            len(claims.sources),
        )

    def believed(self, cluster: Ints) -> Flags:
        """(V,): values that the vote believes, a cluster of sources having one voice; of equals all."""
        n, group = len(self.home), self.group[self.home]
        votes = np.bincount(self.slot, minlength=n)
        for number in np.flatnonzero(np.bincount(cluster) > 1):
            votes -= np.maximum(np.bincount(self.slot[cluster[self.source] == number], minlength=n) - 1, 0)
        best = np.zeros(len(self.many))
        np.maximum.at(best, group, votes)
        return np.asarray(votes >= (best * np.where(self.many, SHARE, 1.0))[group])

    def compared(self, marked: Flags, sources: Ints | None = None) -> tuple[Reals, Reals, Ints]:
        """Return (P, P) items where both state one ``marked`` (V,) value; (P, P) where both speak, one marked, none in
        common; (P,) sources, given or the ``MOST_SOURCES`` most marked. Blocks bound memory.
        """
        if sources is None:
            count = np.bincount(self.source, marked[self.slot], self.sources)
            sources = np.sort(np.argsort(-count, kind="stable")[:MOST_SOURCES])
            sources = sources[count[sources] > 0]
        n = len(sources)
        row = np.full(self.sources, -1)
        row[sources] = np.arange(n)
        shared, apart = np.zeros((n, n)), np.zeros((n, n))
        for block in self._blocks(row, n, marked):
            for a in range(n):
                both, none = block.counts(a)
                shared[a] += both
                apart[a] += none
        return shared, apart, sources

    def _blocks(self, row: Ints, n: int, marked: Flags) -> Iterator[_PairBlock]:
        """Yield the claims of n sources, so many items at a time; ``row`` (S,): each source's number among them, or −1."""
        step, of, own = max(1, BLOCK // max(1, n)), self.home[self.slot], row[self.source]
        within = self.group[of]
        for begin in range(0, len(self.group), step):
            group = self.group[begin : begin + step]
            a, b = np.searchsorted(of, (begin, begin + step))
            c, d = np.searchsorted(within, (group[0], group[-1] + 1))
            speaks = np.zeros((n + 1, int(group[-1] - group[0]) + 1), np.bool_)
            speaks[own[c:d], within[c:d] - group[0]] = True
            at = np.arange(a, b)[own[a:b] >= 0]
            slot = self.slot[at]
            yield _PairBlock.of(own[at], of[at] - begin, self.rank[slot], marked[slot], speaks[:n, group - group[0]])


@dataclass(frozen=True, slots=True)
class _PairBlock:
    """Flags of n sources on items, 64 per word, most valued first: who speaks, states marked values, states rank r."""

    speaks: _Words
    wrong: _Words
    says: tuple[tuple[_Words, _Words], ...]

    @staticmethod
    def of(own: Ints, item: Ints, rank: Ints, marked: Flags, speaks: Flags) -> _PairBlock:
        """From claims: source, item, the value's rank and mark; ``speaks`` (n, I)."""
        n, items = speaks.shape
        size = np.zeros(items, np.int64)
        np.maximum.at(size, item, rank + 1)
        order = np.argsort(-size, kind="stable")
        place = np.argsort(order)[item]
        says = []
        for k in range(int(size.max(initial=0))):
            flags = np.zeros((n + 1, int((size > k).sum())), np.bool_)
            at = rank == k
            flags[own[at], place[at]] = True
            flags[n, place[at]] = marked[at]
            words = _bits(flags)
            says.append((words[:n], words[n]))
        wrong = np.zeros((n, items), np.bool_)
        wrong[own[marked], place[marked]] = True
        return _PairBlock(_bits(speaks[:, order]), _bits(wrong), tuple(says))

    def counts(self, a: int) -> tuple[Ints, Ints]:
        """(n,), (n,): items where a source and each other state one marked value; no value in common, a marked one."""
        common, hit = np.zeros_like(self.speaks), np.zeros_like(self.speaks)
        for says, marked in self.says:
            both = says[a] & says
            common[:, : both.shape[1]] |= both
            hit[:, : both.shape[1]] |= both & marked
        none = self.speaks[a] & self.speaks & (self.wrong[a] | self.wrong) & ~common
        return _count(hit), _count(none)


def _instead(claims: Claims, slots: Slots, votes: Ints, several: Flags) -> Ints:
    """Return (V,): how many sources state a value, without those that also state the commonest where one is true."""
    best = np.full(len(slots.size), -1)
    order = np.lexsort((-np.arange(len(slots)), votes))
    best[slots.group[order]] = order
    n = len(claims.sources)
    speaker = claims.group.astype(np.int64) * n + claims.source
    common = (best[claims.group] == slots.of) & ~several[claims.group]
    with_it = np.isin(speaker, speaker[common]) & ~common
    return np.asarray(votes - np.bincount(slots.of, with_it, len(slots)).astype(np.int64))


def _count(words: _Words) -> Ints:
    return np.asarray(np.bitwise_count(words).sum(axis=1, dtype=np.int64))


def _bits(flags: Flags) -> _Words:
    """Rows of flags, 64 to a word."""
    padded = np.zeros((len(flags), -(-flags.shape[1] // 64) * 64), np.bool_)
    padded[:, : flags.shape[1]] = flags
    return np.packbits(padded, axis=1).view(np.uint64)
