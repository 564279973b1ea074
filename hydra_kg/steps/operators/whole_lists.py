"""Check whether sources list everything that is counted; if not, other graphs and pages show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.language.morphology import stem
from hydra_kg.plan import model as m
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.cut_hops import reversed_code
from hydra_kg.steps.operators.operand_port import Sets
from hydra_kg.steps.operators.relations.completeness import larger
from hydra_kg.steps.operators.relations.equivalent_relations import profile
from hydra_kg.steps.operators.relations.relation_matching import follow
from hydra_kg.steps.operators.results import thresholds
from hydra_kg.steps.operators.results.found_entities import Hopped, ThingSet, step_of
from hydra_kg.steps.operators.values.attributes import of_death
from hydra_kg.steps.retrieval.entity_types import head, kinds_named
from hydra_kg.util.fast_dataclass import replace

MOST: Final = 500
"""Facts whose sources are looked up."""

_COUNTRIES: Final = frozenset({"country", "continent"})
_BEHIND: Final = 0.3  # surety by which a relation that lists more countries may be behind
_AGREED: Final = 3
"""Members, each of which two graphs list, from which these are taken for all: of one, two graphs may know the same."""

_RELATIVES: Final = frozenset(
    stem(w) for w in "child kid son daughter sibling brother sister grandchild descendant husband wife spouse".split()
)
"""Relatives of whom sources list the known ones."""


def perhaps_not_all(sets: Sets, op: m.Things, found: ThingSet, number: int) -> tuple[str, ...]:
    """Return a doubt whether a count is complete, or nothing.

    There is a doubt if several graphs may be asked and one lists items that another lacks, or if works or relatives are
    counted, which are never surely all listed. There is none for countries, unless the lists differ in length, nor if
    the lists of several graphs are equal. A store with one graph counts as complete.
    """
    context, lists_of = sets.context, list(listing(op))
    if not lists_of or number == 0 or len(_graphs(context)) < 2:
        return ()
    trails = [t for t in found.trails if isinstance(t, Hopped)]
    never = any(_open(one.noun) for one in lists_of)
    if not never and not any(_lacking(context, t) for t in trails):
        return ()
    lists = [listed_by(context, trail, found.ids) for trail in trails]
    agreed = [len(by) > 1 and len(set(by.values())) == 1 for by in lists]
    if not never and number >= _AGREED and (all(agreed) or (any(agreed) and isinstance(op, m.Both))):
        return ()
    differ = any(len({len(own) for own in by.values()}) > 1 for by in lists)
    if not differ and any(kinds_named(one.noun) & _COUNTRIES for one in lists_of):
        return ()
    each = sorted(((len(own), name) for name, own in lists[0].items()), reverse=True) if len(lists) == 1 else []
    by = f", by {' and '.join(f'{name} {n}' for n, name in each)}" if differ and each else ""
    return (f"whether these are all ({_stated(number)}{by})",)


def perhaps_between(context: Context, op: m.Things, found: ThingSet) -> tuple[str, ...]:
    """Return a doubt whether other items come before a first or next item; lists of countries are complete."""
    lists_of = list(listing(op))
    lacking = _perhaps_others(context, found) and not any(kinds_named(one.noun) & _COUNTRIES for one in lists_of)
    if not lists_of or not (lacking or any(known_in_part(context, one.noun) for one in lists_of)):
        return ()
    return (f"whether there are others ({_stated(len(found))})",)


def stated_by_one(context: Context, op: m.Things, found: ThingSet, node: int) -> tuple[str, ...]:
    """Return a doubt about a chosen country that only one graph lists, while another graph lists some."""
    trails = [t for t in found.trails if isinstance(t, Hopped)]
    if len(trails) != 1 or not any(kinds_named(one.noun) & _COUNTRIES for one in listing(op)):
        return ()
    by = listed_by(context, trails[0], found.ids)
    alone = [name for name, own in by.items() if node in own]
    return (f"whether it is one of them, which {alone[0]} alone states",) if len(alone) == 1 < len(by) else ()


def with_more(context: Context, op: m.Related, found: Sequence[ThingSet]) -> list[ThingSet]:
    """Return readings; if another lists more countries than the first, the first with what several graphs add to it.

    Both Freebase and Wikidata put France in Europe, but only one of them puts it in Africa too. The first then has a
    doubt whether it has all.
    """
    more = larger(found, found[0], behind=_BEHIND) if found and kinds_named(op.noun) == {"country"} else None
    if more is None:
        return list(found)
    by = [listed_by(context, trail, more.ids).values() for trail in more.trails if isinstance(trail, Hopped)]
    times = Counter(node for lists_of in by for own in lists_of for node in own)
    ids = np.array(sorted({*found[0].ids.tolist(), *(n for n, often in times.items() if often > 1)}), np.int64)
    doubt = f"whether these are all (by another relation {len(more)} are stated)"
    first, step = found[0], found[0].steps[-1]
    steps = (*first.steps[:-1], step_of("related", first.words, step.before, len(ids)))
    whole = replace(first, ids=ids, trails=(*first.trails, *more.trails), steps=steps, doubt=(*first.doubt, doubt))
    return [whole, *found[1:]]


def listing(op: m.Things) -> Iterator[m.Related]:
    """Yield the relations whose objects are counted."""
    match op:
        case m.Related():
            yield op
        case m.Where() | m.OfKind() | m.Without():
            yield from listing(op.of)
        case m.Both() | m.Either():
            for part in op.parts:
                yield from listing(part)


def _graphs(context: Context) -> frozenset[str]:
    """Return the graphs that may be asked, each group of dependent ones once."""
    sources = [s for load in context.snapshot.manifest() for s in load.sources]
    return frozenset(s.group for s in sources if s.kind == "kg" and context.may(s.name))


def of_unstated(context: Context, ids: Ids, op: m.Things, less: ThingSet) -> tuple[Ids, float]:
    """Return things of which a single-valued ``op`` states nothing, and how surely it is single-valued.

    An example is a person whose birthplace is not stated: it is unknown.
    """
    if not isinstance(op, m.Related) or not less.codes:
        return ids[:0], 1.0
    back = [reversed_code(c, context.space.base) for c in less.codes]
    single, known = profile(context.stored, context.space.base).single(back[0])
    if single < thresholds.SINGLE or known < thresholds.SINGLE_SUBJECTS or not len(ids):
        return ids[:0], 0.0
    return _without_any(context, ids, back), single


def of_unlisted(context: Context, ids: Ids, op: m.Things, less: ThingSet) -> Ids:
    """Return things of which nothing is stated by a relation whose objects the graphs list in part.

    Of a film without any stated subject it is unknown whether it is about Batman.
    """
    if not isinstance(op, m.Related) or not less.codes or not len(ids) or not _perhaps_others(context, less):
        return ids[:0]
    return _without_any(context, ids, [reversed_code(c, context.space.base) for c in less.codes])


def _without_any(context: Context, ids: Ids, codes: Sequence[int]) -> Ids:
    """Return the things that no relation of `codes` leads away from."""
    stated = follow(context, ThingSet(ids), codes)
    there = stated.trails[0].start if stated is not None and isinstance(stated.trails[0], Hopped) else ids[:0]
    return np.setdiff1d(ids, there)


def perhaps_left_out(
    context: Context, op: m.Things, less: ThingSet, unstated: Ids, left: int, *, single: float
) -> tuple[str, ...]:
    """Return a doubt about what is left without ``op``: some lack statements, or many values may be missing."""
    if len(unstated):
        return (f"{len(unstated)} of {left}, of which nothing is stated as “{value_lacking(op)}”",)
    if left and not single and _perhaps_others(context, less):
        return (f"whether others are {less.words} ({_stated(len(less))})",)
    return ()


def value_lacking(op: m.Things) -> str:
    """Return, in words, the relation that is not stated of what may be left out."""
    return op.phrase.replace("_", "").strip() if isinstance(op, m.Related) and not of_death(op.phrase) else ""


def _stated(number: int) -> str:
    return f"{number} {'is' if number == 1 else 'are'} stated"


def _perhaps_others(context: Context, less: ThingSet) -> bool:
    """Return True if more things may have a relation than is stated: another graph lists some that this one lacks."""
    trails = [t for t in less.trails if isinstance(t, Hopped)]
    return len(_graphs(context)) > 1 and any(_lacking(context, t) for t in trails)


def known_in_part(context: Context, noun: str) -> bool:
    """Return True if the graphs that are asked never surely list all such things."""
    return _open(noun) and len(_graphs(context)) > 1


def _open(noun: str) -> bool:
    """Return True if sources are never sure to list all such things."""
    return "work" in kinds_named(noun) or stem(head(noun)) in _RELATIVES


def _lacking(context: Context, trail: Hopped) -> bool:
    """Return True if another graph lists items that a relation lacks, judged by all its known subjects."""
    known = profile(context.stored, context.space.base)
    for code in trail.best:
        others = dict.fromkeys([*trail.best, *known.parallel_relations(code)])
        if any(not known.one_source(code, c) and known.lacks(code, c) for c in others):
            return True
    return False


def listed_by(context: Context, trail: Hopped, ids: Ids) -> Mapping[str, frozenset[int]]:
    """Return the things that each group of sources lists."""
    rows = np.flatnonzero(np.isin(trail.end, ids) & (trail.segment[0] >= 0))[:MOST]
    facts = context.snapshot.facts(trail.segment[0][rows].astype(np.int16), trail.row[0][rows])
    out: dict[str, set[int]] = {}
    for node, fact in zip(trail.end[rows].tolist(), facts, strict=True):
        out.setdefault(fact.source.group, set()).add(node)
    return {name: frozenset(own) for name, own in out.items()}


def without_parts(op: m.Things, readings: Sequence[ThingSet]) -> list[ThingSet]:
    """Return the readings of a relation without those that are a part of what the first reading of its name gives."""
    return [one for one in readings if not any(_is_part(op, one, other) for other in readings)]


def _is_part(op: m.Things, base: ThingSet, other: ThingSet) -> bool:
    """Return True if another reading of a name gives some of the things that its first reading gives.

    The 4 countries of the "European Union Member States" are part of the 59 in Europe, which are meant.
    """
    if not isinstance(op, m.Related) or not isinstance(op.of, m.Named) or not len(base) or len(other) <= len(base):
        return False
    first = op.of.node
    return (_begins(base, first), _begins(other, first)) == (False, True) and bool(np.isin(base.ids, other.ids).all())


def _begins(found: ThingSet, node: int) -> bool:
    """Return True if the hops to a set begin at a node."""
    hops = [t for t in found.trails if isinstance(t, Hopped)]
    while before := [b for t in hops for b in t.before if isinstance(b, Hopped)]:
        hops = before
    return any(node in t.start for t in hops)
