"""Select things whose place, as a relation states it, lies in an area: people who were born in a city of Germany."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.execution.evidence_hops import Leg
from hydra_kg.fusion.conflicts.conflict import HUB, LEVELS
from hydra_kg.plan.model import Named, Related
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.relations.disputed_places import Ways, disputed, to_holders
from hydra_kg.steps.operators.relations.noun_filter import fit, heads_of
from hydra_kg.steps.operators.relations.relation_matching import follow, relate
from hydra_kg.steps.operators.relations.relation_wording import relation_words
from hydra_kg.steps.operators.results import thresholds
from hydra_kg.steps.operators.results.found_entities import Hopped, Surety, ThingSet, step_of
from hydra_kg.steps.operators.values.attributes import of_death
from hydra_kg.steps.retrieval.entity_types import AREAS, kinds_named
from hydra_kg.util.fast_dataclass import dataclass, replace

MOST: Final = 1_000
"""Things, and places of a level, that are looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Provenance by place: the hops from each thing to the area in which it lies."""

    ways: Ways

    def legs(self, node: int) -> tuple[Leg, ...]:
        """Return the hops of :class:`hydra_kg.steps.operators.results.found_entities.Trail`."""
        return self.ways.get(node, ())

    def mediators(self, node: int) -> tuple[int, ...]:
        """Return nothing: there are no mediators."""
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """Places of things by the relation ``codes``: ``inside`` the area, ``elsewhere``, or ``inside.unknown``."""

    inside: ThingSet
    elsewhere: Ways
    codes: tuple[int, ...]


def placed(context: Context, things: ThingSet, op: Related, area: ThingSet) -> Placement | None:
    """Return where ``things`` lie by ``op`` ("born in _"), relative to ``area``, or None if it is not about places."""
    head, _, rest = op.phrase.rpartition(" ")
    if rest != "_" or op.during is not None or not 0 < len(things) <= MOST:
        return None
    if not mostly_places(context, area.ids) or mostly_places(context, things.ids):
        return None  # what borders one area does not lie in it
    base = ThingSet(things.ids, words=things.words)
    stated = next(iter(relate(context, base, Related(Named("", 0), f"_ {head}", ""))), None)
    if (
        stated is None
        or stated.surety.relevance < thresholds.HOLDS_RELEVANCE
        or not isinstance(stated.trails[0], Hopped)
    ):
        return None
    if not mostly_places(context, stated.ids):
        return None
    trail, around = stated.trails[0], lines(context, stated.ids.tolist())
    others = _others(context, around, area.ids, stated.ids)
    unsure = disputed(context, stated.ids, around, area.ids, others)
    here, there = _ways_to(stated.ids, around, area.ids), _ways_to(stated.ids, around, others)
    here = {p: way for p, way in here.items() if p not in unsure.elsewhere | unsure.open}
    there = {p: way for p, way in there.items() if p not in here and p not in unsure.open}
    inside = _led(trail, here)
    elsewhere = {n: way for n, way in _led(trail, there).items() if n not in inside}
    ids = np.array(sorted(inside), np.int64)
    words = op.phrase.replace("_", area.words)
    unknown = tuple(n for n in things.ids.tolist() if n not in inside and n not in elsewhere)
    found = ThingSet(
        ids,
        (Placed(inside),),
        area.score + stated.score,
        words,
        (
            *area.steps,
            step_of("related", f"{words} or a place there", len(things), len(ids), unknown=len(unknown), what="place"),
        ),
        surety=stated.surety.worst(Surety(coverage=1 - len(unknown) / len(things))),
        reason="" if len(ids) else f"none of {len(things)} {things.words} is stated to be {words}",
        unknown=unknown,
        sought=len(things),
        lacks="" if of_death(op.phrase) else "place",
    )
    return Placement(found, elsewhere, stated.codes)


def money_of(context: Context, base: ThingSet, op: Related) -> list[ThingSet]:
    """Return the currency of a country where a source only states the country of the currency.

    Of several, some are of other times: the dinar, of Croatia.
    """
    if kinds_named(op.noun) != {"currency"} or not mostly_places(context, base.ids):
        return []
    found = follow(context, base, [2 * p for p in to_holders(context)])
    kind = fit(context, found.ids, op.noun) if found is not None else None
    if found is None or kind is None or np.count_nonzero(kind.right) != 1:
        return []
    words = relation_words(op, base.words)
    steps = (*base.steps, step_of("related", words, len(base), 1))
    return [replace(found, ids=found.ids[kind.right], words=words, steps=steps, surety=base.surety)]


def lies_in(context: Context, place: ThingSet, area: ThingSet) -> bool:
    """Return True if each of some places lies in an area, as relations between places state it."""
    if not 0 < len(place) <= thresholds.AREA_PLACES or np.isin(place.ids, area.ids).any():
        return False
    return len(_ways_to(place.ids, lines(context, place.ids.tolist()), area.ids)) == len(place)


def _led(trail: Hopped, ways: Ways) -> dict[int, tuple[Leg, ...]]:
    """Return for each thing the hop to its place, and the hops from there on."""
    found: dict[int, tuple[Leg, ...]] = {}
    for start, place in zip(trail.start.tolist(), trail.end.tolist(), strict=True):
        if place in ways and start not in found:
            found[start] = (trail.stating(start, place), *ways[place])
    return found


def lines(context: Context, places: Sequence[int]) -> Ways:
    """Return for each place the hops to the areas around it and around these in turn, ``LEVELS`` upwards."""
    snapshot = context.snapshot
    wanted = to_holders(context)
    above: dict[int, tuple[Leg, ...]] = {}
    fresh = list(dict.fromkeys(places))[:MOST]
    for _ in range(LEVELS):
        known = context.entities(fresh)
        open_ = [n for n in fresh if known[n].degree <= HUB]
        graph = snapshot.cut(open_, depth=1)
        own = np.isin(graph.ids[graph.src], np.array(open_, np.int64)) & np.isin(graph.pred, wanted)
        columns = (graph.ids[graph.src[own]], graph.ids[graph.dst[own]], graph.pred[own], graph.segment[own])
        rows = zip(*(c.tolist() for c in (*columns, graph.row[own])), strict=True)
        new: dict[int, dict[int, list[tuple[int, int, int]]]] = {}
        for place, holder, pred, segment, row in rows:
            new.setdefault(place, {}).setdefault(holder, []).append((pred, segment, row))
        for place, holders in new.items():
            above[place] = tuple(
                Leg(place, 2 * facts[0][0] | 1, holder, handles=tuple(sorted({(s, r) for _, s, r in facts})))
                for holder, facts in holders.items()
            )
        fresh = sorted({leg.object for n in open_ for leg in above.get(n, ())} - above.keys())[:MOST]
        if not fresh:
            break
    return above


def _ways_to(places: Ids, around: Ways, areas: Ids) -> Ways:
    """Return for each place the fewest hops to one of some areas.

    It is () for a place that is one of them. Places that lie in none are left out.
    """
    found = ((p, _way_to(p, around, frozenset(areas.tolist()))) for p in places.tolist())
    return {p: way for p, way in found if way is not None}


def _way_to(place: int, around: Ways, areas: Set[int]) -> tuple[Leg, ...] | None:
    if place in areas:
        return ()
    seen = {place}
    ways: list[tuple[int, tuple[Leg, ...]]] = [(place, ())]
    for _ in range(LEVELS):
        longer: list[tuple[int, tuple[Leg, ...]]] = []
        for node, way in ways:
            for leg in around.get(node, ()):
                if leg.object in areas:
                    return (*way, leg)
                if leg.object not in seen:
                    seen.add(leg.object)
                    longer.append((leg.object, (*way, leg)))
        ways = longer
    return None


def _others(context: Context, around: Ways, areas: Ids, places: Ids) -> Ids:
    """Return other areas of the kind that is asked for, among some places and the areas around them, int64 (k,)."""
    kinds = _kinds(context, areas.tolist())
    asked = frozenset().union(*(kinds[n] for n in areas.tolist()))
    every = {*places.tolist(), *(leg.object for legs in around.values() for leg in legs)} - set(areas.tolist())
    return np.array(sorted(n for n, k in _kinds(context, sorted(every)).items() if k & asked), np.int64)


def _kinds(context: Context, nodes: Sequence[int]) -> Mapping[int, frozenset[str]]:
    """Return the kinds of area of each node.

    Regions lie in each other, so they are told apart by what they are called: state, county.
    """
    known = context.entities(nodes)
    return {n: _largest(frozenset().union(*(_kind(h) for h in heads_of(e)))) for n, e in known.items()}


def _largest(kinds: frozenset[str]) -> frozenset[str]:
    """Return the kinds of a country as just country, whatever else it is called ("borough", "area")."""
    if "country" in kinds:
        return frozenset({"country"})
    return kinds - {"continent"} or kinds


def _kind(noun: str) -> frozenset[str]:
    kinds = kinds_named(noun) & AREAS
    return frozenset({noun}) if "region" in kinds else kinds


def mostly_places(context: Context, ids: Ids) -> bool:
    """Return True if most of some things are places."""
    some = ids[: thresholds.AREA_PLACES].tolist()
    return 2 * sum(map(bool, _kinds(context, some).values())) > len(some) > 0
