"""Relation matching: which relation around some entities is meant by a phrase of the plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from hydra_kg.domain import Floats, Ids
from hydra_kg.plan.model import HOLDER, Named, Related
from hydra_kg.steps.context import HUB_CAP, Context
from hydra_kg.steps.graph.cut_hops import HopGraph, reversed_code
from hydra_kg.steps.operators.relations.completeness import may_lack_some
from hydra_kg.steps.operators.relations.disputed_places import drop_unreturned, most_stated, to_holders
from hydra_kg.steps.operators.relations.equivalent_relations import RelationProfile, profile
from hydra_kg.steps.operators.relations.grouping import HopsAround, groups, split, unqualified
from hydra_kg.steps.operators.relations.noun_filter import (
    RELATIVES,
    fit,
    heads_of,
    kinds_of_thing,
    known_to_be_something,
    same_nouns,
)
from hydra_kg.steps.operators.relations.other_forms import once_each, without_dependencies
from hydra_kg.steps.operators.relations.relation_fit import (
    as_hinted,
    best_said,
    is_converse,
    names_own_role,
    only_formerly,
    relevance_to,
    states_another,
    suggests_another,
)
from hydra_kg.steps.operators.relations.relation_wording import relation_words
from hydra_kg.steps.operators.relations.temporal_filter import valid_during
from hydra_kg.steps.operators.results import thresholds
from hydra_kg.steps.operators.results.found_entities import Counted, Flags, Hopped, Surety, ThingSet, step_of
from hydra_kg.steps.own_graphs.relation_roles import contradicts_direction, contradicts_type
from hydra_kg.steps.relevance.path_relevance import Relevance
from hydra_kg.steps.retrieval.entity_types import AREAS, head, kinds_named
from hydra_kg.util.cancelling import check_between

READINGS: Final = 5  # relations that are kept for a phrase, best first
_RELATION_SAYS: Final = 0.66  # how surely a relation must say a phrase, 0 to 1, to be what is meant
_RELATION_OF_KIND: Final = 0.5  # the same for a phrase that only names the kind of the objects: "Pixar films"
_RELATION_FULL: Final = 1.2  # relevance from which a relation surely says a phrase
_RELATION_SHORT: Final = 1.0  # relevance that it may lack to the best of all relations, where that surety ends
_RELATION_CLEAR: Final = 0.4  # lead in relevance from which no other relation is meant
_RELATION_ENDS: Final = 10  # relations, best first, whose objects are looked at
_RELATION_SYNONYM: Final = 0.05  # cost of a wording that only another source has for the same relation
_RELATION_RIVAL: Final = 0.2  # lead in relevance by which one of two relations of a source has that wording alone
_RELATION_UNQUALIFIED: Final = 0.3
"""Cost of a relation without what qualifies a noun: "language" for "official language"."""
_RIGHT_KIND: Final = 0.25  # gain of objects of the kind asked for; the cost of others is twice that
_AREA: Final = 0.1  # cost of answering with the area that holds what is stated


def relate(context: Context, base: ThingSet, op: Related, *, inside: bool = True) -> list[ThingSet]:
    """Follow the relation of ``op`` from ``base``; one set per matching relation, best first.

    ``inside``: whether to look into the places there if nothing of the kind is stated of an area itself.
    """
    if not len(base) or (op.phrase == HOLDER and "person" in _kinds(context, base.ids)):
        return []
    meant = _meant_by_in(context, base.ids) if inside and op.phrase in ("in _", f"{op.noun} in _", HOLDS) else ""
    if meant and (op.phrase == "in _" if meant != HOLDS else not AREAS & kinds_named(op.noun)):
        op = replace(op, phrase=meant, said="")
    around = _around(context, base, op)
    if not len(around.codes):
        return []
    known = profile(context.stored, context.space.base)
    less = unqualified(context.space, around.codes[: 3 * _RELATION_ENDS].tolist(), op.phrase)
    own = split(groups(context.space, around, known), less)
    found = []
    for group in check_between(own, every=1):
        leads = around.fits[0] - _next(around, own, group)
        some = _reading(context, base, op, around, group, lead=float(leads))
        found += [replace(f, score=f.score - _RELATION_UNQUALIFIED) for f in some] if group[0] in less else some
    built = op.phrase == HOLDS and kinds_named(op.noun) & _BUILT
    if inside and (
        built or (op.noun and op.phrase in BORN and _countries(context, base.ids).all())
    ):  # a club in a city of England
        places = relate(context, base, replace(op, phrase=HOLDS, noun=""), inside=False)[:1]
        ways = [replace(op, phrase=phrase) for phrase in (HOLDS, "in _")] if built else [op]
        most = READINGS if built else 1
        found += [f for p in places for way in ways for f in relate(context, p, way, inside=False)[:most]]
        trails = tuple(t for f in found for t in f.trails)
        found = [replace(f, ids=np.unique(np.concatenate([g.ids for g in found])), trails=trails) for f in found[:1]]
    return sorted(found, key=lambda f: (-f.score, f.codes))[:READINGS]


def _around(context: Context, base: ThingSet, op: Related) -> HopsAround:
    relevance = relevance_to(context, op.phrase, op.noun)
    settings = context.settings
    cut = context.snapshot.cut(
        base.ids.tolist(), depth=1, rank=relevance.rank(), budget=settings.retrieval.edge_budget, hub_cap=HUB_CAP
    )
    graph = HopGraph(cut.of_loads(context.segments()), predicates=context.space.base // 2)
    starts = base.ids[graph.local(base.ids) >= 0]
    hops = graph.walk(graph.local(starts))
    codes = np.unique(hops.code)
    fits = _fits(relevance, codes, profile(context.stored, context.space.base))
    order = np.lexsort((codes, -fits))
    top = max(float(relevance.fits.max(initial=0.0)), float(fits.max(initial=0.0)))
    codes, fits = codes[order], fits[order]
    return HopsAround(
        graph, starts, hops, codes, fits, _turned(relevance, codes, fits), top, best_said(relevance, op.phrase)
    )


def _turned(relevance: Relevance, codes: Ids, fits: Floats) -> Floats:
    """Return the greater relevance of each hop, read in either direction, float32 (k,).

    Only the best hops are read in both directions.
    """
    some = codes[: 3 * _RELATION_ENDS].tolist()
    if not some:
        return fits
    back = np.array([reversed_code(c, relevance.space.base) for c in some], np.int64)
    turned = fits.copy()
    turned[: len(some)] = np.maximum(fits[: len(some)], relevance(back[:, None]))
    return turned


def _fits(relevance: Relevance, codes: Ids, known: RelationProfile) -> Floats:
    """Return the relevance of hops, or of what another source states the same by, float32 (k,)."""
    if not len(codes):
        return np.zeros(0, np.float32)
    own = relevance(codes[:, None])
    space = relevance.space
    said: dict[int, tuple[float, int]] = {}
    for i in np.argsort(-own)[:_RELATION_ENDS].tolist():
        parallel = np.array(known.parallel_relations(int(codes[i])), np.int64)
        if len(parallel):
            score, near = relevance(parallel[:, None]), space.vectors(parallel) @ space.vectors(codes[i : i + 1])[0]
            rows = zip(parallel.tolist(), score.tolist(), near.tolist(), strict=True)
            same = [(s, c) for c, s, n in rows if known.shows(space, int(codes[i]), c, n)]
            said[i] = max(same, default=(-np.inf, -1))
    fits = own.copy()
    for i, (best, synonym) in said.items():
        # A producer is no creator where the same source has creators, though another source's creators are both.
        rivals = [j for j, (_, other) in said.items() if other == synonym and own[j] > own[i] + _RELATION_RIVAL]
        if not any(known.one_source(int(codes[i]), int(codes[j])) for j in rivals):
            fits[i] = max(own[i], best - _RELATION_SYNONYM)
    return fits


def _next(around: HopsAround, every: Sequence[tuple[int, ...]], group: tuple[int, ...]) -> float:
    """Return the relevance of the best relation outside the group."""
    place = {int(c): float(f) for c, f in zip(around.codes, around.fits, strict=True)}
    return max((place[g[0]] for g in every if g is not group), default=0.0)


def _reading(
    context: Context, base: ThingSet, op: Related, around: HopsAround, group: tuple[int, ...], *, lead: float
) -> list[ThingSet]:
    """Return what the relations of a group lead to, if it is of the kind that is asked for; [] otherwise."""
    place = {int(c): float(f) for c, f in zip(around.codes, around.fits, strict=True)}
    relevance = place[group[0]]
    either = float(around.turned[around.codes.tolist().index(group[0])])
    says = min(either / _RELATION_FULL, 1.0 - (around.top - either) / _RELATION_SHORT)
    says = max(says, as_hinted(context, op.phrase, group[0]))
    only_kind = _names_only_kind(context, base, op, around, group)
    if says < (_RELATION_OF_KIND if only_kind else _RELATION_SAYS):
        return []
    known = profile(context.stored, context.space.base)
    by_noun = bool(op.noun) and as_hinted(context, op.noun, group[0]) > 0  # "which time zone is _ in"
    if not by_noun and states_another(known, around.said, group[0], either):
        return []
    if not only_kind and suggests_another(context, op.phrase, around.said, group, either):
        return []
    text = context.space.text(group[0])
    if op.phrase == HOLDS and group[0] & 1 and group[0] >> 1 in to_holders(context):
        return []  # Europe is not in Denmark
    if contradicts_direction(op.phrase, text) or contradicts_type(op.phrase, context.space.key(group[0])):
        return []
    if names_own_role(op.phrase, text) or only_formerly(op.phrase, text):
        return []
    trail = _hopped(context, around, group, base)
    ids = np.unique(trail.end)
    lies = op.phrase.startswith("_ ") and _areas(context, base.ids) and _areas(context, ids)
    if is_converse(context.space, known, around.said, group[0], relevance + (0.0 if lies else _RELATION_RIVAL)):
        return []
    words = relation_words(op, base.words)
    score, unmet, kinds = relevance, base.unmet, 1.0
    surety = base.surety.worst(Surety(min(1.0, max(0.0, says)), _lead(relevance, lead, around)))
    if (kind := None if op.phrase == HOLDER else fit(context, ids, op.noun)) is not None:
        if kind.right.any() and _calls_them(context, op.noun, group):
            score, ids = score + _RIGHT_KIND * kind.share, ids[~kind.other]
        elif kind.right.any():
            score, kinds = score + _RIGHT_KIND * kind.share, 0.5 + kind.share / 2
            right = ~kind.other if kind.share == 1.0 and op.phrase not in (HOLDS, *BORN) else kind.right
            if kinds_named(op.noun) == COUNTRY and kind.unlike is not None:
                right &= ~kind.unlike
            ids = _no_countries(context, ids[right], op.noun)  # where all typed ends are right, so are the others
            if kinds_named(op.noun) == COUNTRY:
                ids = drop_unreturned(context, trail, most_stated(context, trail, ids))
                ids = without_dependencies(context, once_each(context, ids), base.ids)
        elif kind.typed:
            places = ThingSet(ids, (trail,), base.score + score, words, base.steps, unmet, surety)
            return [] if _areas(context, base.ids) else _lifted(context, places, op)
        else:
            score, kinds = score - 2 * _RIGHT_KIND * float(kind.other.mean()), 0.5
            ids = ids[~kind.other]
    elif op.phrase != HOLDER and not _says_noun(context, op, group) and known_to_be_something(context, ids):
        unmet = (*unmet, op.noun)
    unknown = 0
    if op.during is not None:
        inside, dated = valid_during(context, trail, ids, op.during)
        unknown = int((~dated).sum())
        if unknown:
            unmet = (*unmet, op.during.words or op.phrase)
        before, ids = len(ids), ids[inside]
        words = f"{words} {op.during.words}".strip()
        step = step_of("related", words, before, len(ids), unknown=unknown)
    else:
        step = step_of("related", words, len(base), len(ids), unknown=unknown)
    surety = surety.worst(Surety(kinds=kinds))
    reason = "" if len(ids) else f"no {words} is stated"
    open_ = base.open or (may_lack_some(op) and _areas(context, base.ids))
    steps = (*base.steps, step)
    return [
        ThingSet(
            ids,
            (trail,),
            base.score + score,
            words,
            steps,
            unmet,
            surety,
            reason,
            codes=group,
            open=open_,
            doubt=base.doubt,
        )
    ]


def _names_only_kind(context: Context, base: ThingSet, op: Related, around: HopsAround, group: tuple[int, ...]) -> bool:
    """Return True if the phrase is only the noun, and sources call most objects of the relation so: "Pixar films"."""
    if not op.noun or op.during is not None or op.phrase.removeprefix("_ s ").removeprefix("_ ") != op.noun:
        return False
    ends, nouns = np.unique(_hopped(context, around, group, base).end), same_nouns(head(op.noun))
    called = sum(bool(nouns & heads_of(e)) for e in context.entities(ends.tolist()).values())
    return 2 * called > len(ends)


def _calls_them(context: Context, noun: str, group: Sequence[int]) -> bool:
    """Return True if a relation's name itself gives its objects the noun ("occupation")."""
    word = head(noun)
    return bool(word) and len(same_nouns(word)) < 2 and any(head(context.space.text(c)) == word for c in group)


def _says_noun(context: Context, op: Related, group: Sequence[int]) -> bool:
    """Return True if the phrase or its relation contains the noun, or the noun is relative ("neighbours")."""
    noun = head(op.noun)
    said = [op.phrase, *(context.space.text(c) for c in group)]
    return (
        not noun
        or noun in RELATIVES
        or any(as_hinted(context, op.noun, c) for c in group)
        or any(noun in {head(w) for w in text.split()} for text in said)
    )


def _lifted(context: Context, places: ThingSet, op: Related) -> list[ThingSet]:
    """Return the areas of the asked kind in which places lie: who was born in a city was born in its state."""
    kinds = kinds_named(op.noun)
    if (
        op.during is not None
        or op.phrase in (LIES_IN, MEMBERS)
        or not AREAS & kinds
        or len(places) > thresholds.AREA_PLACES
    ):
        return []
    if WATERS & _kinds(context, places.ids):  # what flows into one does not lie where that one does
        return []
    found = relate(context, places, Related(op.of, LIES_IN, op.noun))
    if "region" in kinds:
        found = [g for f in found if len(g := f.only(~_countries(context, f.ids)))]
    best = max((f.score for f in found), default=0.0)
    score = places.score + _RIGHT_KIND - _AREA
    step = step_of("related", f"{op.noun} that holds them", len(places), len(found[0]) if found else 0)
    steps = (*places.steps, step)
    return [
        replace(
            f,
            score=score + f.score - best,
            words=places.words,
            steps=steps,
            # That a place lies in areas of other kinds too says nothing against that of this one.
            surety=places.surety.worst(replace(f.surety, kinds=1.0)),
        )
        for f in found
    ]


def _areas(context: Context, ids: Ids) -> bool:
    """Return True if the relation is between areas: what borders one does not lie in what is asked for."""
    return bool(AREAS & _kinds(context, ids[: thresholds.AREA_PLACES]))


def _meant_by_in(context: Context, ids: Ids) -> str:
    """Return what "in" means: a member of an organisation, an actor in a work; "" for a place."""
    kinds = _kinds(context, ids[:1])
    if kinds & {"country", "city", "continent"} or ("region" in kinds and "group" not in kinds):
        return HOLDS
    return "acts in _" if "work" in kinds else MEMBERS if "group" in kinds else ""


def _kinds(context: Context, ids: Ids) -> frozenset[str]:
    """Return the kinds of all of some things together."""
    return frozenset[str]().union(*map(kinds_of_thing, context.entities(ids.tolist()).values()))


def _no_countries(context: Context, ids: Ids, noun: str) -> Ids:
    """Return the things without countries, if others remain, where regions are asked for.

    "Which states" means no sovereign ones.
    """
    if "region" not in kinds_named(noun):
        return ids
    regions = ids[~_countries(context, ids)]
    return regions if len(regions) else ids


def _countries(context: Context, ids: Ids) -> Flags:
    known = context.entities(ids.tolist())
    return np.array(["country" in heads_of(known[n]) for n in ids.tolist()], np.bool_)


MEMBERS: Final = "members of _"
HOLDS: Final = "located in _"
LIES_IN: Final = "_ is located in"
COUNTRY: Final = frozenset({"country"})
_BUILT: Final = frozenset({"group", "building"})
BORN: Final = ("born in _", "died in _")
"""Phrases that do not imply a profession: not everybody born in a town is an actor."""

WATERS: Final = frozenset({"river", "lake", "sea"})


def _lead(relevance: float, lead: float, around: HopsAround) -> float:
    ahead = relevance - float(around.fits[0]) + lead
    return min(1.0, max(0.0, 0.5 + ahead / (2 * _RELATION_CLEAR)))


def _hopped(context: Context, around: HopsAround, group: tuple[int, ...], base: ThingSet) -> Hopped:
    """Return the hops of a group as a trail."""
    rows = np.flatnonzero(np.isin(around.hops.code, np.array(group, np.int64)))
    steps = around.hops.take(rows)
    graph, cut = around.graph, around.graph.graph
    end = graph.ids[steps.end]
    order = np.argsort(end, kind="stable")
    via = np.where(steps.via < 0, np.int64(-1), graph.ids[np.maximum(steps.via, 0)])
    one, two = steps.edge[order], steps.edge2[order]
    second = np.where(two < 0, np.int32(-1), cut.segment[np.maximum(two, 0)].astype(np.int32))
    return Hopped(
        around.starts[steps.walker[order]],
        steps.code[order],
        via[order],
        end[order],
        (cut.segment[one].astype(np.int32), second),
        (cut.row[one], cut.row[np.maximum(two, 0)]),
        group,
        base.trails,
    )


def follow(context: Context, base: ThingSet, codes: Sequence[int]) -> ThingSet | None:
    """Return what some relations lead to from the things of ``base``, or None if none of them is stated."""
    around = _around(context, base, Related(_NOBODY, "", ""))
    there = tuple(c for c in codes if c in around.codes.tolist())
    if not there:
        return None
    trail = _hopped(context, around, there, base)
    return ThingSet(np.unique(trail.end), (trail,), base.score, base.words, base.steps, codes=there)


_NOBODY: Final = Named("", 0)


def counted(context: Context, base: ThingSet, op: Related) -> tuple[Counted, ThingSet] | None:
    """Return the things that have the relation to each of the things, with the reading that was counted."""
    best = next(iter(relate(context, base, op)), None)
    if best is None:
        return None
    trail = best.trails[0]
    assert isinstance(trail, Hopped)
    inside: Flags = np.isin(trail.end, best.ids)
    out: dict[int, set[int]] = {n: set() for n in base.ids.tolist()}
    for start, end in zip(trail.start[inside].tolist(), trail.end[inside].tolist(), strict=True):
        out[start].add(end)
    return Counted(trail, {n: frozenset(found) for n, found in out.items()}), best
