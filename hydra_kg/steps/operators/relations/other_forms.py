"""Countries that sources list twice, such as a realm and the country that gives it its capital, and parts of others."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np

from hydra_kg.domain import Entity, Ids
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.relations.disputed_places import to_holders
from hydra_kg.steps.operators.relations.noun_filter import kinds_of_thing
from hydra_kg.steps.retrieval.entity_types import AREAS, stated_ends
from hydra_kg.text.folding import fold

MOST: Final = 128
"""Countries whose facts about each other are looked at."""

_FACTS: Final = 100
"""Facts of each of them that are read."""

_CAPITAL: Final = re.compile(r"\bcapital\b")
_INDEPENDENT: Final = frozenset({"sovereign", "recognition"})
"""Words of types of states that are no part of another one, whoever holds them to be."""


def once_each(context: Context, countries: Ids) -> Ids:
    """Return each country in one form.

    Of two that share a capital and one of which lies in the other, the better described stays (not the Danish Realm).
    """
    if not 1 < len(countries) <= MOST:
        return countries
    pairs = list(combinations(countries.tolist(), 2))
    left, right = (np.array([p[k] for p in pairs], np.int64) for k in (0, 1))
    links = context.snapshot.between(left, right)
    joined = sorted({pairs[i] for i in links.pair[np.isin(links.pred, to_holders(context))].tolist()})
    return np.setdiff1d(countries, np.array(_lesser(context, joined), np.int64)) if joined else countries


def without_dependencies(context: Context, countries: Ids, base: Ids) -> Ids:
    """Drop what lies in a country outside ``base`` and is nowhere called a sovereign state, such as Gibraltar.

    All stay if nothing else was found, and those that are not found from an area.
    """
    if not any(AREAS & kinds_of_thing(e) for e in context.entities(base[:MOST].tolist()).values()):
        return countries
    known = context.entities(countries[:MOST].tolist())
    some = np.array([n for n, e in known.items() if not _is_independent(e)], np.int64)
    if not len(some):
        return countries
    graph = context.snapshot.cut(some.tolist(), depth=1)
    start, end = graph.ids[graph.src], graph.ids[graph.dst]
    rows = np.isin(start, some) & np.isin(graph.pred, to_holders(context)) & (start != end) & ~np.isin(end, base)
    ends = context.entities(np.unique(end[rows]).tolist())
    pairs = zip(start[rows].tolist(), end[rows].tolist(), strict=True)
    inside = {(a, b) for a, b in pairs if "country" in kinds_of_thing(ends[b])}
    same = _lesser(context, sorted(inside)) if inside else []  # the Netherlands give their realm its capital
    left = np.setdiff1d(countries, [a for a, b in inside if a in same or b not in same])
    return left if len(left) else countries


def _is_independent(entity: Entity) -> bool:
    """Return True if a type calls a country a sovereign state, or if no source says in words what it is."""
    said = [fold(t).split() for t in entity.types if "." not in t]
    return not said or any(not _INDEPENDENT.isdisjoint(words) for words in said)


def _lesser(context: Context, pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Return of each pair with a common capital the country of which less is stated."""
    nodes = sorted({n for pair in pairs for n in pair})
    capitals, known = _capitals(context, nodes), context.entities(nodes)
    return [min(pair, key=lambda n: known[n].degree) for pair in pairs if capitals[pair[0]] & capitals[pair[1]]]


def _capitals(context: Context, nodes: list[int]) -> dict[int, set[int]]:
    """Return for each country what is stated as its capital, or as what it is the capital of."""
    known = context.space.predicates
    texts = zip(known.keys, known.texts, strict=True)
    wanted = context.space.once("capitals", lambda: {key for key, text in texts if _CAPITAL.search(text)})
    found: dict[int, set[int]] = defaultdict(set)
    for a, b in stated_ends(context.snapshot, nodes, wanted, each=_FACTS):
        found[a].add(b)
        found[b].add(a)
    return found
