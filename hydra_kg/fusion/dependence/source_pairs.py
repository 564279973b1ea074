"""Pairwise comparison of sources: on how many items they state the same value, and on how many different ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from hydra_kg.fusion.model.beliefs import SHARE, Flags, Ints, Reals, Slots, slots_of
from hydra_kg.fusion.model.claims import Claims
from hydra_kg.util.fast_dataclass import dataclass

# Sources compared pair by pair: those with the most claims that count. Values of one item that are compared: those
# that most sources state. Cells of one block of the comparison.
MOST_SOURCES = 500
MOST_VALUES = 64
BLOCK = 8_000_000
_Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Items:
    """Items on which two sources are compared, each counted once.

    An item is a contested group, or each of its values where several may be true. Slots, items and groups are numbered
    from 0; groups ascend with items.

    - ``source`` (M,), ``slot`` (M,): the claims, with items ascending.
    - ``home`` (V,): the item of each slot.
    - ``rank`` (V,): the rank of each slot among the item's values, the most stated first.
    - ``group`` (I,): the group of each item.
    - ``many`` (G,): whether several values of a group may be true.
    - ``sources``: the number of sources.
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
        """Return the items of claims, from values that two or more sources state; with ``noise``, from all values.

        Where one value is true, a source counts for a value only if it does not also state the most frequent one.
        """
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
        """Return the values that the vote believes (V,), all of equals; a cluster of sources has one voice."""
        n, group = len(self.home), self.group[self.home]
        votes = np.bincount(self.slot, minlength=n)
        for number in np.flatnonzero(np.bincount(cluster) > 1):
            votes -= np.maximum(np.bincount(self.slot[cluster[self.source] == number], minlength=n) - 1, 0)
        best = np.zeros(len(self.many))
        np.maximum.at(best, group, votes)
        return np.asarray(votes >= (best * np.where(self.many, SHARE, 1.0))[group])

    def compared(self, marked: Flags, sources: Ints | None = None) -> tuple[Reals, Reals, Ints]:
        """Compare sources pair by pair, in blocks that bound the memory.

        Returns three arrays:

        - (P, P): the items for which both sources state the same ``marked`` (V,) value.
        - (P, P): the items for which both state values, at least one of them marked and none in common.
        - (P,): the compared sources; the given ones, or the ``MOST_SOURCES`` with the most marked claims.
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
        """Yield the claims of n sources in blocks of items.

        ``row`` (S,) is the number of each source among the n, or −1.
        """
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
    """Flags of n sources on items, 64 in a word, the items with the most values first.

    They say which source states a value, which states a marked value, and which states the value of rank r.
    """

    speaks: _Words
    wrong: _Words
    says: tuple[tuple[_Words, _Words], ...]

    @staticmethod
    def of(own: Ints, item: Ints, rank: Ints, marked: Flags, speaks: Flags) -> _PairBlock:
        """Return the block of some claims, given by source, item, rank and mark of the value.

        ``speaks`` (n, I) says which source states a value of which item.
        """
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
        """Return two counts of items for source ``a`` and each other source, (n,) and (n,).

        The first counts items for which both state the same marked value. The second counts items for which they have
        no value in common and one of them states a marked value.
        """
        common, hit = np.zeros_like(self.speaks), np.zeros_like(self.speaks)
        for says, marked in self.says:
            both = says[a] & says
            common[:, : both.shape[1]] |= both
            hit[:, : both.shape[1]] |= both & marked
        none = self.speaks[a] & self.speaks & (self.wrong[a] | self.wrong) & ~common
        return _count(hit), _count(none)


def _instead(claims: Claims, slots: Slots, votes: Ints, several: Flags) -> Ints:
    """Return how many sources state each value (V,).

    Where one value is true, sources that also state the most frequent value are not counted.
    """
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
    """Return rows of flags as words of 64 flags."""
    padded = np.zeros((len(flags), -(-flags.shape[1] // 64) * 64), np.bool_)
    padded[:, : flags.shape[1]] = flags
    return np.packbits(padded, axis=1).view(np.uint64)
