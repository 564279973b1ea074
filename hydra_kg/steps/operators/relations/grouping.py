"""Groups equivalent relations around some entities: by the store's facts, by common objects here, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from hydra_kg.domain import Floats, Ids
from hydra_kg.extract.word_classes import FUNCTION
from hydra_kg.language.morphology import singular
from hydra_kg.steps.graph.cut_hops import HopGraph
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.steps.graph.traversal import Walked
from hydra_kg.steps.operators.relations.equivalent_relations import RelationProfile
from hydra_kg.steps.operators.relations.relation_fit import Said
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.util.number_columns import sort_distinct

_GROUPS: Final = 10  # relations, best first, each of which may be what a phrase means
_GROUP_CANDIDATES: Final = 150  # relations that may state the same as one of them
_GROUP_NEAR: Final = 0.15  # relevance within which relations to the same objects here are taken together
_GROUP_NAMED: Final = 0.4  # the same of relations that only their names say are one
_GROUP_HERE: Final = 0.7  # share of objects that must be common for that, 0 to 1
_GROUP_OBJECTS: Final = 4  # objects of which that share is taken, at least

EQUAL: Final = 0.999
"""Cosine of one wording and itself: relations that are called the same are one."""


@dataclass(frozen=True, slots=True, eq=False)
class HopsAround:
    """All hops from ``starts``.

    Args:
        graph: The graph of the hops.
        starts: The things from which they lead.
        hops: The hops.
        codes: Their distinct codes, best first.
        fits: The relevance of each code to a phrase.
        turned: The greater relevance of each of the best codes, read in either direction.
        top: The best relevance of any relation of the store.
        said: The relations that match the phrase best.
    """

    graph: HopGraph
    starts: Ids
    hops: Walked
    codes: Ids
    fits: Floats
    turned: Floats
    top: float
    said: Said


def groups(space: RelationSpace, around: HopsAround, known: RelationProfile) -> list[tuple[int, ...]]:
    """Return groups of codes that state the same, best first, by data before names."""
    codes = around.codes[:_GROUP_CANDIDATES].tolist()
    fits = dict(zip(codes, around.fits.tolist(), strict=False))
    best = around.codes[:_GROUPS]
    near = space.vectors(around.codes[:_GROUP_CANDIDATES]) @ space.vectors(best).T
    cosines = {head: dict(zip(codes, near[:, i].tolist(), strict=True)) for i, head in enumerate(best.tolist())}
    found: list[list[int]] = []
    for code in codes:
        mine = next((g for g in found if _shown(space, code, g, known, cosines[g[0]])), None)
        if mine is not None:
            mine.append(code)
        elif code in cosines:
            found.append([code])
    joined: list[list[int]] = []
    for group in found:
        mine = next((g for g in joined if _named(group, g, known, cosines[g[0]], fits)), None)
        if mine is not None:
            mine += group
        else:
            joined.append(group)
    grouped = {c for g in joined for c in g}
    for code in codes[_GROUPS:]:
        if code not in grouped:
            mine = next((g for g in joined if _named([code], g, known, cosines[g[0]], fits)), None)
            if mine is not None:
                mine.append(code)
    return [tuple(g) for g in _together(joined, fits, around)]


def unqualified(space: RelationSpace, codes: Sequence[int], phrase: str) -> frozenset[int]:
    """Return codes that lack a noun's qualifier that another code has: "languages spoken" for "official language"."""
    wordings = {c: {singular(w.casefold()) for w in space.text(c).split()} for c in codes}
    lacking = set[int]()
    for first, second in pairwise(singular(w.casefold()) for w in phrase.split()):
        if {first, second} & _PLAIN:
            continue
        if any({first, second} <= words for words in wordings.values()):
            lacking |= {c for c, words in wordings.items() if second in words and first not in words}
    return frozenset(lacking)


_PLAIN: Final = FUNCTION | {"_"}
"""Words that qualify nothing."""


def split(found: Sequence[tuple[int, ...]], apart: frozenset[int]) -> list[tuple[int, ...]]:
    """Return the groups, with the codes of a set separated from the others of their group."""
    parts = [(tuple(c for c in g if c not in apart), tuple(c for c in g if c in apart)) for g in found]
    return [half for both in parts for half in both if half]


def _shown(
    space: RelationSpace, code: int, group: Sequence[int], known: RelationProfile, cosines: Mapping[int, float]
) -> bool:
    """Return True if a relation is named like the best one of a group, or data show that it states the same.

    The data must show it of the group's best relation, and of those of the relation's own source.
    """
    return cosines[code] >= EQUAL or (
        known.shows(space, group[0], code, cosines[code]) and _same_within_source(code, group, known)
    )


def _named(
    new: Sequence[int],
    group: Sequence[int],
    known: RelationProfile,
    cosines: Mapping[int, float],
    fits: Mapping[int, float],
) -> bool:
    """Return True if the names say that relations are the same, where the data show nothing."""
    named = known.named_alike(group[0], new[0], cosines[new[0]])
    like = named and fits[new[0]] >= fits[group[0]] - _GROUP_NAMED
    return like and all(_same_within_source(code, group, known) for code in new)


def _same_within_source(code: int, group: Sequence[int], known: RelationProfile) -> bool:
    """Return True if a relation states the same as each relation of a group that its own source states."""
    return all(known.restates(c, code) for c in group if known.one_source(c, code))


def _together(found: Sequence[list[int]], fits: Mapping[int, float], around: HopsAround) -> list[list[int]]:
    """Merge into the first group those that fit the phrase nearly as well and lead to the same ends here.

    Groups that are not merged are returned after it.
    """
    if not found:
        return []
    best, first = list(found[0]), _ends(around, found[0])
    apart = []
    for g in found[1:]:
        near = fits[g[0]] >= fits[found[0][0]] - _GROUP_NEAR
        own = _ends(around, g) if near else first[:0]
        more = max(len(first), len(own))
        if near and more >= _GROUP_OBJECTS and len(np.intersect1d(first, own)) >= _GROUP_HERE * more:
            best += g
        else:
            apart.append(g)
    return [best, *apart]


def _ends(around: HopsAround, group: Sequence[int]) -> Ids:
    """Return the pairs of start and end of the relations of a group, as one number each."""
    rows = np.isin(around.hops.code, np.array(group, np.int64))
    return sort_distinct(around.hops.walker[rows] << 32 | around.hops.end[rows])
