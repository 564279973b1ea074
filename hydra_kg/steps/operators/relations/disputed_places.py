"""Handle places that sources put into several areas of one kind: which of them count, or that none does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from itertools import product
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.execution.evidence_hops import Leg
from hydra_kg.fusion.conflicts.conflict import LEVELS, leading_to_holders
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.cut_hops import reversed_code
from hydra_kg.steps.operators.relations.noun_filter import kinds_of_thing
from hydra_kg.steps.operators.results.found_entities import Hopped
from hydra_kg.util.fast_dataclass import dataclass

Ways = Mapping[int, tuple[Leg, ...]]
"""By class id, the hops that lead on from it."""

MOST: Final = 1_000
"""Pairs of areas that are looked at."""

_LISTED: Final = 5
"""Areas that a source must list for a place before its silence about another one counts."""


@dataclass(frozen=True, slots=True)
class Disputed:
    """Places in two areas that exclude each other: ``elsewhere`` by more sources, ``open`` by equally many."""

    elsewhere: frozenset[int] = frozenset()
    open: frozenset[int] = frozenset()


def disputed(context: Context, places: Ids, around: Ways, areas: Ids, others: Ids) -> Disputed:
    """Return the places that sources put into areas that exclude each other, by how many state which.

    Args:
        places: The places.
        around: The areas of each place, and the areas of these.
        areas: The areas that are asked for.
        others: Other areas of the same kind.
    """
    asked, rivals = frozenset(areas.tolist()), frozenset(others.tolist())
    reached = {p: _reached(p, around) for p in places.tolist()}
    both = {p: (set(r) & asked, set(r) & rivals) for p, r in reached.items() if r.keys() & asked and r.keys() & rivals}
    if not both:
        return Disputed()
    apart = _apart(context, around, sorted({pair for mine, other in both.values() for pair in product(mine, other)}))
    here: set[int] = set()
    open_: set[int] = set()
    for place, (mine, other) in both.items():
        against = {o for o in other if all((a, o) in apart for a in mine)}
        if against:
            voices = {n: _voices(context, reached[place][n]) for n in mine | against}
            most, rival = max(voices[a] for a in mine), max(voices[o] for o in against)
            (here if rival > most else open_ if rival == most else set()).add(place)
    return Disputed(frozenset(here), frozenset(open_))


def most_stated(context: Context, trail: Hopped, areas: Ids) -> Ids:
    """Drop areas of towns with fewer sources than another (Austria, not Austria-Hungary); rivers lie in all."""
    rows = np.isin(trail.end, areas)
    some = np.unique(trail.start[rows])
    several = [n for n in some.tolist() if len(np.unique(trail.end[rows & (trail.start == n)])) > 1]
    if not several or len(several) > MOST:
        return areas
    known = context.entities(several)
    kinds = {n: kinds_of_thing(known[n]) for n in several}
    for town in (n for n in several if "city" in kinds[n] and "country" not in kinds[n]):
        ends = np.unique(trail.end[rows & (trail.start == town)])
        voices = np.array([_voices(context, [trail.stating(town, end)]) for end in ends.tolist()])
        rows &= (trail.start != town) | np.isin(trail.end, ends[voices == voices.max()])
    return np.intersect1d(areas, trail.end[rows])


def drop_unreturned(context: Context, trail: Hopped, areas: Ids) -> Ids:
    """Drop areas that only they themselves relate to a place, where two sources list others for the place.

    Wikidata's Liechtenstein borders Germany, but neither its Germany nor that of Freebase borders Liechtenstein.
    """
    rows = np.flatnonzero(np.isin(trail.end, areas) & (trail.segment[0] >= 0))
    if len(np.unique(trail.start[rows])) != 1 or len(rows) > MOST:
        return areas
    facts = context.snapshot.facts(trail.segment[0][rows].astype(np.int16), trail.row[0][rows])
    lists = defaultdict[str, defaultdict[int, set[int]]](lambda: defaultdict(set))
    for fact, code, end in zip(facts, trail.code[rows].tolist(), trail.end[rows].tolist(), strict=True):
        lists[fact.source.group][code].add(end)
    every = {group: set().union(*own.values()) for group, own in lists.items()}
    alone: set[int] = set()
    for group, own in lists.items():
        others = [ends for name, ends in every.items() if name != group]
        if max(map(len, others), default=0) < _LISTED:
            continue
        for code, ends in own.items():
            returned = own.get(reversed_code(code, context.space.base), set())
            if not code & 1 and len(returned) >= _LISTED:
                alone |= ends - returned.union(*others, *(e for c, e in own.items() if c != code))
    return np.setdiff1d(areas, np.array(sorted(alone), np.int64))


def to_holders(context: Context) -> list[int]:
    """Return the predicates of this question's graph that lead from a place to one in which it lies."""
    return context.space.once("places", lambda: leading_to_holders(context.space.predicates))


def _reached(place: int, around: Ways) -> Mapping[int, list[Leg]]:
    """Return the areas around a place, ``LEVELS`` upwards, with the hops that lead into each."""
    found: dict[int, list[Leg]] = {}
    seen, fresh = {place}, [place]
    for _ in range(LEVELS):
        legs = [leg for n in fresh for leg in around.get(n, ())]
        for leg in legs:
            found.setdefault(leg.object, []).append(leg)
        fresh = sorted({leg.object for leg in legs} - seen)
        seen |= set(fresh)
    return found


def _apart(context: Context, around: Ways, pairs: Sequence[tuple[int, int]]) -> Set[tuple[int, int]]:
    """Return pairs of areas neither of which lies in the other, by the facts between them."""
    pairs = pairs[:MOST]
    left, right = (np.array([p[k] for p in pairs], np.int64) for k in (0, 1))
    links = context.snapshot.between(left, right)
    joined = {pairs[i] for i in links.pair[np.isin(links.pred, to_holders(context))].tolist()}
    reached = {n: _reached(n, around) for n in {n for pair in pairs for n in pair}}
    return {p for p in pairs if p not in joined and p[1] not in reached[p[0]] and p[0] not in reached[p[1]]}


def _voices(context: Context, legs: Sequence[Leg]) -> int:
    """Return the number of independent sources that state some of these hops."""
    handles = np.array(sorted({h for leg in legs for h in leg.handles}), np.int64)
    facts = context.snapshot.facts(handles[:, 0].astype(np.int16), handles[:, 1])
    return len({f.source.group for f in facts})
