"""Detects equivalent and single-valued relations from a sample of the store's facts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Final, Self, TypeVar

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.fusion.gathering.sampling import Once, classes_from
from hydra_kg.phrases import get_curated_phrase
from hydra_kg.ports import Snapshot
from hydra_kg.steps.graph.cut_hops import HopGraph, legs_of, reversed_code
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.steps.own_graphs.load_groups import own_loads, predicate_kinds
from hydra_kg.steps.snapshots.snapshot_proxy import load_scanning
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg.util.number_columns import match

K = TypeVar("K")
V = TypeVar("V")

_SAME_SHOWN: Final = 4  # common subjects from which data decide whether two relations state the same
_SAME: Final = 0.75  # share of what two relations could both state that both must state
_DIFFERENT_SHOWN: Final = 8  # what two relations could both state from which data decide that they are different
_DIFFERENT: Final = 0.1  # share of that which they may both state then, at most
_MEET: Final = 0.05  # share of the things with one relation that have another of things like them
_SAME_NAMED: Final = 0.5  # the same of relations with similar names
_DENIED_SHOWN: Final = 12  # common subjects from which data deny that relations of different names are one
_CALLED_ELSE: Final = 0.53  # cosine below which relations whose phrases share no word are called something else
_SAME_SOURCE: Final = 0.9  # the same of two relations of one source
_SAME_LARGER: Final = 0.3  # share of what the relation with more states that the other must state too
_SAME_LARGER_SOURCE: Final = 0.6  # the same of two relations of one source
_SAME_SURPASSED: Final = 0.2  # how much better another relation of its source agrees, that one is not the same
_SAME_CALLED: Final = 0.7  # cosine below which that one is called something else
_SAME_NAME: Final = 0.5  # cosine from which two relations have similar names

STARTS: Final = (None, *(1 << k for k in range(8, 63, 2)))
PAGE: Final = 800
"""The sample: so many classes behind each of these."""

MOST_PAIRS: Final = 300
"""Pairs of a relation between which other relations are looked for."""

MOST_REMEMBERED: Final = 100_000
"""Pairs of relations that are remembered, in each of two memories of some 20 MB."""

MOST_PARALLEL: Final = 6
"""Relations of other sources that are compared with one."""


@dataclass(frozen=True, eq=False)
class RelationProfile:
    """The hops of a sample of classes.

    Args:
        base: The base of composite hop codes.
        codes: Hop codes, int64 (n,), ascending.
        pairs: The distinct (thing, end) pairs of the hops, int64 (n,).
        loads: For each predicate the loads that state it, one bit each.
    """

    base: int
    codes: Ids
    pairs: Ids
    loads: Ids
    _known: dict[tuple[int, int], tuple[tuple[int, int, int], ...]] = field(default_factory=dict)
    _shown: dict[tuple[int, int, bool], bool] = field(default_factory=dict)
    _parallel: dict[int, tuple[int, ...]] = field(default_factory=dict)
    _links: dict[int, HopPairs] = field(default_factory=dict)

    def shows(self, space: RelationSpace, one: int, other: int, cosine: float) -> bool:
        """Return True if two hops state the same, by their common ends in one direction, unless the other denies it.

        Fewer common ends are needed if the names are alike (``cosine``) or people call both the same ("borders").
        Relations of one source need more, since it seldom repeats itself. The larger counts too, as embassies of
        neighbours show. A country's officials are citizens of it, but few of its known citizens are officials. What
        was found of stored relations is remembered for later questions.
        """
        key = (one, other, cosine >= _SAME_NAME)
        if key not in self._shown:
            shown = self._shows(space, one, other, cosine)
            if not (self._is_stored(one) and self._is_stored(other)):
                return shown
            self._remember(self._shown, key, shown)
        return self._shown[key]

    def _shows(self, space: RelationSpace, one: int, other: int, cosine: float) -> bool:
        if one == other or self.one_source(one, other):
            return self.restates(one, other)
        phrases = get_curated_phrase(space.key(one)), get_curated_phrase(space.key(other))
        called = all(phrases) and phrases[0] == phrases[1]
        named = called or cosine >= _SAME_NAME
        enough = _SAME_NAMED if named else _SAME
        ways = self._ways(one, other)
        shown = [
            less >= _SAME_SHOWN and both >= enough * less and (called or both >= _SAME_LARGER * more)
            for both, less, more in ways
        ]
        if not any(shown):
            return False
        if all(phrases) and cosine < _CALLED_ELSE and not set(phrases[0].split()) & set(phrases[1].split()):
            denied = any(less >= _SAME_SHOWN and both < _SAME * less for both, less, _ in ways)
        else:
            denied = not named and any(less >= _DENIED_SHOWN and both < _SAME_NAMED * less for both, less, _ in ways)
        return not (denied or self._surpassed(space, one, other, shown) or self._surpassed(space, other, one, shown))

    def restates(self, one: int, other: int) -> bool:
        """Return True if two hops of one source state the same.

        A source that says a thing twice says nearly all of it twice, so the two must have nearly all in common.
        """
        informative = [way for way in self._ways(one, other) if way[1] >= _SAME_SHOWN]
        return one == other or (
            bool(informative)
            and all(
                both >= _SAME_SOURCE * less and both >= _SAME_LARGER_SOURCE * more for both, less, more in informative
            )
        )

    def _surpassed(self, space: RelationSpace, one: int, other: int, shown: Sequence[bool]) -> bool:
        """Return True if ``other``'s source has another relation that is rather the same as ``one``: born, not lived.

        Either people call it so, or the data agree better in one of the directions that are ``shown``.
        """
        there = [c for c in self.parallel_relations(one) if c != other and self.one_source(c, other)]
        if not there:
            return False
        like = space.vectors(np.array(there, np.int64)) @ space.vectors(np.array([other], np.int64))[0]
        called, own_phrase = get_curated_phrase(space.key(other)), get_curated_phrase(space.key(one))
        phrases = [get_curated_phrase(space.key(c)) for c in there]
        if own_phrase and called and own_phrase != called and own_phrase in phrases:
            return True  # "directed by" is the relation of its own name, not "written by"
        named_else = [
            c
            for c, cosine, phrase in zip(there, like.tolist(), phrases, strict=True)
            if cosine < _SAME_CALLED or (called and phrase not in ("", called))
        ]
        return any(
            theirs[0] >= own[0]
            and _agreement(theirs) >= _agreement(own) + _SAME_SURPASSED
            and common[1] >= _SAME_SHOWN
            and common[0] < _SAME_SOURCE * common[1]  # a part of it is nothing else
            for c in named_else
            for way, own, theirs, common in zip(
                shown, self._ways(one, other), self._ways(one, c), self._ways(c, other), strict=True
            )
            if way
        )

    def different(self, one: int, other: int) -> bool:
        """Return True if nearly no thing with both hops has a common end."""
        both, less, _ = self._ways(one, other)[0]
        return less >= _DIFFERENT_SHOWN and both <= _DIFFERENT * less

    def one_way(self, code: int) -> bool:
        """Return True if the data show that a hop does not hold in both directions, as "sibling" does."""
        both, _, _ = self._ways(code, reversed_code(code, self.base))[0]
        pairs = len(self._of(code))
        return pairs >= _DIFFERENT_SHOWN and both <= _DIFFERENT * pairs

    def meet(self, one: int, other: int) -> bool:
        """Return True if some of the things with one hop have the other too."""
        mine, theirs = self._linked(one).things, self._linked(other).things
        common = int((match(theirs, mine) >= 0).sum())
        return common >= _MEET * min(len(mine), len(theirs)) and common > 0

    def named_alike(self, one: int, other: int, cosine: float) -> bool:
        """Return True if two sources give hops similar names and state too little in common to compare their facts."""
        ways = self._ways(one, other)
        unknown = all(less < _SAME_SHOWN and both >= _SAME_NAMED * less for both, less, _ in ways)
        return cosine >= _SAME_NAME and unknown and not self.one_source(one, other)

    def _ways(self, one: int, other: int) -> tuple[tuple[int, int, int], ...]:
        key = (min(one, other), max(one, other))
        if key not in self._known:
            ways = [(one, other), (reversed_code(one, self.base), reversed_code(other, self.base))]
            self._remember(self._known, key, tuple(shared(self._linked(a), self._linked(b)) for a, b in ways))
        return self._known[key]

    @staticmethod
    def _remember(memory: dict[K, V], key: K, value: V) -> None:
        if len(memory) >= MOST_REMEMBERED:
            memory.clear()
        memory[key] = value

    def _is_stored(self, code: int) -> bool:
        """Return True if all legs of a hop are relations of the store; others are of one question's texts."""
        return all(leg >> 1 < len(self.loads) for leg in legs_of(code, self.base))

    def _linked(self, code: int) -> HopPairs:
        if code not in self._links:
            self._links[code] = HopPairs.of(self._of(code))
        return self._links[code]

    def lacks(self, one: int, other: int) -> bool:
        """Return True if ``other`` states something that ``one`` lacks of a thing that has both hops."""
        mine, theirs = self._linked(one), self._linked(other)
        common = np.isin(theirs.pairs >> 32, mine.things)
        return bool((match(mine.pairs, theirs.pairs[common]) < 0).any())

    def one_source(self, one: int, other: int) -> bool:
        """Return True if one load states both hops."""
        return bool(self._stated_by(one) & self._stated_by(other))

    def parallel_relations(self, code: int) -> tuple[int, ...]:
        """Return at most :data:`MOST_PARALLEL` other hops between the same things, commonest first."""
        if code not in self._parallel:
            there = self._between(self._of(code)[:MOST_PAIRS])
            back = self._between(self._of(reversed_code(code, self.base))[:MOST_PAIRS])
            for other, n in back.items():
                turned = reversed_code(other, self.base)
                there[turned] = there.get(turned, 0) + n
            there.pop(code, None)
            self._parallel[code] = tuple(
                c for c, _ in sorted(there.items(), key=lambda p: (-p[1], p[0]))[:MOST_PARALLEL]
            )
        return self._parallel[code]

    def single(self, code: int) -> tuple[float, int]:
        """Return the share of the things with this relation that have one end, and how many have it."""
        _, counts = np.unique(self._of(code) >> 32, return_counts=True)
        return (float((counts == 1).mean()), len(counts)) if len(counts) else (0.0, 0)

    def _of(self, code: int) -> Ids:
        """Return the pairs of a code, int64 (k,)."""
        a, b = np.searchsorted(self.codes, [code, code + 1])
        return self.pairs[a:b]

    def _stated_by(self, code: int) -> int:
        """Return the loads that state all legs of a hop, one bit each."""
        found = -1
        for leg in legs_of(code, self.base):
            found &= int(self.loads[leg >> 1]) if leg >> 1 < len(self.loads) else 0
        return found

    def _between(self, pairs: Ids) -> dict[int, int]:
        """Return the codes of the hops between some pairs, with their number."""
        where, order = self._by_pair
        first, last = np.searchsorted(where, pairs), np.searchsorted(where, pairs, side="right")
        rows = [order[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True)]
        codes, counts = np.unique(self.codes[np.concatenate(rows)] if rows else self.codes[:0], return_counts=True)
        return dict(zip(codes.tolist(), counts.tolist(), strict=True))

    @cached_property
    def _by_pair(self) -> tuple[Ids, Ids]:
        """Return all pairs, ascending, and their rows."""
        order = np.argsort(self.pairs, kind="stable")
        return self.pairs[order], order


def _agreement(way: tuple[int, int, int]) -> float:
    """Return the share of what two hops state of common things that both state, 0 to 1."""
    both, less, more = way
    return both / math.sqrt(less * more) if less else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class HopPairs:
    """What one hop states: pairs of thing and end, the things, and the number of ends of each; all ascending."""

    pairs: Ids
    things: Ids
    ends: Ids

    @classmethod
    def of(cls, pairs: Ids) -> Self:
        """Return the pairs of a hop from ascending pairs."""
        return cls(pairs, *np.unique(pairs >> 32, return_counts=True))


def shared(one: HopPairs, other: HopPairs) -> tuple[int, int, int]:
    """Return the numbers of common pairs and of pairs of the smaller and larger relation, over things in both."""
    if len(one.things) > len(other.things):
        one, other = other, one
    at = match(other.things, one.things)
    if not (common := at >= 0).any():  # as of nearly all that are compared
        return 0, 0, 0
    mine, theirs = one.ends[common], other.ends[at[common]]
    both = (match(other.pairs, one.pairs) >= 0).sum()
    return int(both), int(np.minimum(mine, theirs).sum()), int(np.maximum(mine, theirs).sum())


def _sample(snapshot: Snapshot) -> list[int]:
    """Return sampled classes of the whole store, and as many of each load in own words.

    Dumps would otherwise hide the loads in own words.
    """
    found = set(classes_from(snapshot, STARTS, PAGE))
    if (scanning := load_scanning(snapshot)) is None:
        return sorted(found)
    kinds = predicate_kinds(snapshot.predicates())
    for load in own_loads(snapshot, kinds) or ():
        if kinds.own[scanning.load_predicates(load)[0]].any():
            classes = scanning.load_classes(load)
            found.update(classes[:: 1 + len(classes) // (PAGE * len(STARTS))].tolist())
    return sorted(found)


def _profile(snapshot: Snapshot, base: int) -> RelationProfile:
    classes = _sample(snapshot)
    cut = snapshot.cut(classes, depth=1)
    loads = np.zeros(len(snapshot.predicates().ids), np.int64)
    np.bitwise_or.at(loads, cut.pred, np.left_shift(np.int64(1), cut.segment.astype(np.int64)))
    graph = HopGraph(cut, predicates=base // 2)
    hops = graph.walk(graph.topics)
    pairs = graph.topics[hops.walker].astype(np.int64) << 32 | hops.end.astype(np.int64)
    order = np.lexsort((pairs, hops.code))
    codes, pairs = hops.code[order], pairs[order]
    new = np.ones(len(codes), np.bool_)
    new[1:] = (codes[1:] != codes[:-1]) | (pairs[1:] != pairs[:-1])
    return RelationProfile(base, codes[new], pairs[new], loads)


profile = Once(_profile, most=8)
"""The profile of a snapshot under a base of codes, made once for its loads."""
