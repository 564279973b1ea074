"""Dependence between sources, found from shared mistakes: who repeats another's errors is no independent witness."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from hydra_kg.fusion.beliefs import SHARE, Flags, Ints, Reals, membership, slots_of
from hydra_kg.fusion.claims import Claims

# Sources compared pair by pair: those with the most contested claims. Cells of one block of the comparison.
MOST_SOURCES = 500
BLOCK = 8_000_000


@dataclass(frozen=True, slots=True)
class Copying:
    """``cluster`` (S,): the number of each source's group of copies, counted from 0 in the order of sources. ``pairs``:
    (source, source, shared mistakes, mistakes of either, lower end of the 95 % interval of the share), sources' codes
    ascending, only of pairs that were joined.
    """

    cluster: Ints
    pairs: tuple[tuple[int, int, int, int, float], ...] = ()

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Groups of two sources or more."""
        members: dict[int, list[int]] = {}
        for source, cluster in enumerate(self.cluster.tolist()):
            members.setdefault(cluster, []).append(source)
        return tuple(tuple(m) for m in members.values() if len(m) > 1)


@dataclass(frozen=True, slots=True)
class CopyDetector:
    """Sources are copies when of the mistakes that either makes where both speak, nearly all are shared.

    Independent sources may all be right together, so agreement proves nothing; their mistakes differ (Dong,
    Berti-Equille and Srivastava 2009). A mistake is a contested value that the vote does not believe. Of the mistakes
    ``share`` are in common, and ``sure`` by the lower end of the Wilson interval, which takes 381 shared mistakes
    without a difference. That is verbatim copying; two feeds that derive from one by different rules stay apart.

    Noise of its own does not clear a copy (Dong's copiers have a rate of it as well): a value that no other source
    states is no witness for or against, and where one value is true a source that gives several is taken by the one
    that most others state.

    For that vote, sources that as surely agree nearly everywhere (``agreeing``: where others contest it; where they
    differ counts everywhere) have one voice, so that a flood of names cannot vote its own mistakes into truths; two
    that are right everywhere share no mistakes then, and stay apart.
    """

    share: float = 0.99
    sure: float = 0.99
    agreeing: float = 0.995

    def find(self, claims: Claims) -> Copying:
        """The groups of copies; the order of the sources decides nothing."""
        cells, alone = _Cells.of(claims), np.arange(len(claims.sources))
        agreed, _, sources = cells.in_common(np.ones(len(cells.source), np.bool_))
        whole = _Cells.of(claims, noise=True)
        same, said, _ = whole.in_common(np.ones(len(whole.source), np.bool_), sources)
        alike, _ = _joined(agreed, agreed + said - same, sources, alone, self.agreeing, self.sure)
        cluster, pairs = _joined(*cells.in_common(cells.mistakes(alike)), alone, self.share, self.sure)
        _, numbers = np.unique(cluster, return_inverse=True)
        return Copying(numbers.astype(np.int64), pairs)


@dataclass(frozen=True, slots=True)
class Merged:
    """Claims in which each group of copies is one source, and the old claim behind each."""

    claims: Claims
    kept: Ints


def merged(claims: Claims, copying: Copying) -> Merged:
    """The claims with one source per group of copies, named by its members; slots stay as they are."""
    names: list[list[str]] = [[] for _ in range(int(copying.cluster.max(initial=-1)) + 1)]
    for name, cluster in zip(claims.sources, copying.cluster.tolist(), strict=True):
        names[cluster].append(name)
    source = copying.cluster[claims.source].astype(np.int32) if len(claims) else claims.source
    width = max(1, int(claims.value.max(initial=0)) + 1)
    key = (claims.group.astype(np.int64) * max(1, len(names)) + source) * width + claims.value
    _, kept = np.unique(key, return_index=True)
    starts = np.searchsorted(claims.group[kept], np.arange(len(claims.keys) + 1)).astype(np.int64)
    thinner = replace(
        claims, sources=tuple(" = ".join(n) for n in names), group=claims.group[kept], source=source[kept],
        value=claims.value[kept], starts=starts,
    )  # fmt: skip
    return Merged(thinner, kept)


_Pair = tuple[int, int, int, int, float]


def _joined(
    shared: Reals, either: Reals, sources: Ints, cluster: Ints, share: float, sure: float
) -> tuple[Ints, tuple[_Pair, ...]]:
    """(S,): the least source of each source's group, groups joined by pairs that share enough; and these pairs."""
    low = np.where(either > 0, wilson_low(shared, np.maximum(either, 1)), 0)
    cluster = cluster.copy()
    pairs: list[_Pair] = []
    for a, b in np.argwhere(np.triu((shared >= share * either) & (low >= sure), 1)).tolist():
        i, j = int(sources[a]), int(sources[b])
        pairs.append((i, j, int(shared[a, b]), int(either[a, b]), float(low[a, b])))
        least, other = sorted((int(cluster[i]), int(cluster[j])))
        cluster[cluster == other] = least
    return cluster, tuple(pairs)


@dataclass(frozen=True, slots=True)
class _Cells:
    """The claims that two sources or more make, in groups that these contest; with ``noise`` all claims of all
    contested groups. (M,): source, slot and group, groups ascending, both numbered from 0. ``home`` (V,): each
    slot's group. ``many`` (G,): whether several values of a group may be true. S: number of sources.
    """

    source: Ints
    slot: Ints
    group: Ints
    home: Ints
    many: Flags
    sources: int

    @staticmethod
    def of(claims: Claims, *, noise: bool = False) -> _Cells:
        slots, source = slots_of(claims), claims.source.astype(np.int64)
        several = claims.many if len(claims.many) else np.zeros(len(slots.size), np.bool_)
        voices = np.bincount(slots.of, minlength=len(slots))[slots.of]
        speakers = membership(claims)
        own, best = speakers.of, np.zeros(len(speakers.group), np.int64)
        np.maximum.at(best, own, voices)
        kept = (voices > 1) & (several[claims.group] | (voices == best[own])) | noise
        stated = np.bincount(slots.of[kept], minlength=len(slots)) > 0
        contested = np.bincount(slots.group[stated], minlength=len(slots.size)) > 1
        kept &= contested[claims.group]
        stated &= contested[slots.group]
        new_slot, new_group = np.cumsum(stated) - 1, np.cumsum(contested) - 1
        return _Cells(
            source[kept], new_slot[slots.of[kept]], new_group[claims.group[kept]], new_group[slots.group[stated]],
            several[contested], len(claims.sources),
        )  # fmt: skip

    def mistakes(self, cluster: Ints) -> Flags:
        """(M,): claims that the vote does not believe, a cluster having one voice; equals are no mistakes."""
        n = len(self.home)
        voices = np.bincount(self.slot, minlength=n)
        for number in np.flatnonzero(np.bincount(cluster) > 1):
            voices -= np.maximum(np.bincount(self.slot[cluster[self.source] == number], minlength=n) - 1, 0)
        best = np.zeros(len(self.many))
        np.maximum.at(best, self.home, voices)
        wanted = best * np.where(self.many, SHARE, 1.0)
        return np.asarray((voices < wanted[self.home])[self.slot])

    def in_common(self, wrong: Flags, sources: Ints | None = None) -> tuple[Reals, Reals, Ints]:
        """(P, P) marked claims in common, (P, P) those of either of two sources where both speak; (P,) the sources.

        P: those given, else the sources with the most marked claims, at most ``MOST_SOURCES``; blocks of groups bound
        the memory.
        """
        if sources is None:
            count = np.bincount(self.source, wrong, self.sources)
            sources = np.sort(np.argsort(-count, kind="stable")[:MOST_SOURCES])
            sources = sources[count[sources] > 0]
        n = len(sources)
        row = np.full(self.sources, -1)
        row[sources] = np.arange(n)
        shared, common = np.zeros((n, n)), np.zeros((n, n))
        step = max(1, BLOCK // max(1, n))
        for begin in range(0, len(self.many), step):
            a, b = np.searchsorted(self.group, (begin, begin + step))
            own, mistaken = row[self.source[a:b]], wrong[a:b]
            kept = own >= 0
            own, mistaken = own[kept], mistaken[kept]
            slot, group = self.slot[a:b][kept], self.group[a:b][kept] - begin
            marked, at, place = np.unique(slot[mistaken], return_index=True, return_inverse=True)
            speaks = np.zeros((n, int(group.max(initial=0)) + 1), np.bool_)
            speaks[own, group] = True
            says = np.zeros((n, len(marked)), np.bool_)
            says[own[mistaken], place] = True
            bits = _bits(says)
            shared += _together(bits, bits)
            common += _together(bits, _bits(speaks[:, group[mistaken][at]]))
        return shared, common + common.T - shared, sources


def _bits(flags: Flags) -> npt.NDArray[np.uint64]:
    """Rows of flags, 64 to a word."""
    padded = np.zeros((len(flags), -(-flags.shape[1] // 64) * 64), np.bool_)
    padded[:, : flags.shape[1]] = flags
    return np.packbits(padded, axis=1).view(np.uint64)


def _together(first: npt.NDArray[np.uint64], second: npt.NDArray[np.uint64]) -> Reals:
    """(P, P): how many flags are set in a row of the one and a row of the other."""
    found = [np.bitwise_count(row & second).sum(axis=1, dtype=np.int64) for row in first]
    return np.array(found, np.float64).reshape(len(first), len(second))


def wilson_low(hits: Reals, n: Reals, z: float = 1.96) -> Reals:
    """Lower end of the Wilson interval of hits/n."""
    p = hits / n
    spread = z * np.sqrt(np.maximum(p * (1 - p), 0) / n + z * z / (4 * n * n))
    return np.asarray((p + z * z / (2 * n) - spread) / (1 + z * z / n))
