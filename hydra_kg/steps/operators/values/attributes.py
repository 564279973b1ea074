"""Property matching: which property of some entities is the attribute asked for, and its value for each."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.execution.evidence_hops import Leg
from hydra_kg.language.adjectives import is_another_measure
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.units import unit_dimensions
from hydra_kg.phrases import noun
from hydra_kg.plan.model import Condition, ValueKind
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.steps.operators.results import thresholds
from hydra_kg.steps.operators.results.found_entities import StatedValue, ThingSet
from hydra_kg.steps.operators.results.literal_intervals import Span, date_span, span_of
from hydra_kg.steps.operators.values.value_resolution import Row, settled
from hydra_kg.steps.retrieval.entity_types import head, kinds_named
from hydra_kg.util.cancelling import check_between
from hydra_kg.util.fast_dataclass import dataclass, field

_PROPERTY_NEAR: Final = 0.45  # cosine from which a property may be what is asked for
_PROPERTY_SURE: Final = 0.8  # cosine from which it surely is
_PROPERTY_SLACK: Final = 0.1  # cosine that it may lack to the best of all properties
_PROPERTY_SHORT: Final = 0.5  # further cosine that it may lack, where its fit is 0
_PROPERTY_FIT: Final = 0.5  # fit, 0 to 1, below which it is not what is asked for
_PROPERTY_COVERED: Final = 0.3  # gain of a property that every entity has
_PROPERTY_MEDIATED: Final = 0.05  # cost of a property that a mediator holds
_PROPERTY_OWN_TERM: Final = 0.15  # gain of a property of the mediator through which an entity was found
_PROPERTY_DIRECT: Final = 0.65  # cosine from which the entities' own properties are enough, and mediators are not read
_PROPERTY_KIND: Final = 0.6  # share of a property's literals that must be of the kind asked for
_PROPERTY_LEAD: Final = 2.0  # surety gained for each cosine of lead over the next property
_PROPERTY_SAME: Final = 0.2  # cosine within which properties may be the same by wording
_PROPERTY_SAME_VALUES: Final = 0.5  # the same where their values agree
_PROPERTY_SAME_TEXTS: Final = 0.5  # cosine of their texts from which they may be
_PROPERTY_SAME_SHARE: Final = 0.6  # share of common entities whose values must agree
_PROPERTY_SAME_SOURCES: Final = 0.6  # cosine from which properties of two sources without common entities are the same

MOST_MEDIATORS: Final = 20_000
"""Mediators whose values are read."""

MOST_QUALIFIED: Final = 2_000
"""Most values whose qualifiers are read."""

_ISSUE: Final = frozenset("release released publication published".split())
_DEATH: Final = list_words("death")
_BIRTH: Final = frozenset("birth born birthday birthdate".split())
_LIFE: Final = _BIRTH | _DEATH - {"die", "buried"}


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """A value for each thing: ``text`` of the best property, its fit in [0, 1], and its lead over the next one."""

    values: Mapping[int, StatedValue]
    text: str
    fit: float
    lead: float
    code: int = -1


@dataclass(slots=True)
class _Property:
    code: int
    rows: list[tuple[int, str, Leg, str]] = field(default_factory=list)
    spans: list[Span | None] = field(default_factory=list)
    near: float = 0.0
    score: float = 0.0

    @property
    def loads(self) -> set[int]:
        return {segment for _, _, leg, _ in self.rows for segment, _ in leg.handles[-1:]}

    @property
    def owners(self) -> set[int]:
        return {n for (n, _, _, _), s in zip(self.rows, self.spans, strict=True) if s is not None}


def wordings(attribute: str) -> tuple[str, ...]:
    """Return the wordings of an attribute, best first."""
    return tuple(w.strip() for w in attribute.split(";") if w.strip())


def of_life(attribute: str) -> bool:
    """Return True if an attribute is a date that everybody has, so that only this date is meant if it is stated."""
    return not _LIFE.isdisjoint(attribute.split())


def of_death(words: str) -> bool:
    """Return True if a value concerns a death: those who live have none."""
    return not _DEATH.isdisjoint(words.replace(";", " ").split())


def _other_end_of_life(words: Sequence[str], called: str) -> bool:
    """Return True if a property is about a birth where a death is asked for, or the reverse."""
    wanted, said = (frozenset(w for text in some for w in text.split()) for some in (words, (called,)))
    return any(wanted & one and said & other and not said & one for one, other in ((_BIRTH, _DEATH), (_DEATH, _BIRTH)))


def _of_issue(attribute: str) -> bool:
    """Return True if an attribute is a date on which something was given to the public."""
    return not _ISSUE.isdisjoint(attribute.split())


def attribute_of(
    context: Context,
    found: ThingSet,
    attribute: str,
    kind: ValueKind,
    *,
    last: bool = False,
    during: Condition | None = None,
) -> Attribute | None:
    """Return the values of the best property and of similar ones of other sources, or None.

    With ``last``, the latest date counts. With ``during``, only values that are stated for that time do.
    """
    ids = found.ids
    if not len(ids) or not (words := wordings(attribute)):
        return None
    properties = _direct(context, ids)
    if not _enough(context, properties, words, kind, len(ids)):
        properties += _through(context, ids)
    properties += _terms(context, found)
    ranked = _ranked(context, properties, words, kind, len(ids))
    if not ranked:
        return None
    best = ranked[0]
    lack = _known(context, words) - best.near - _PROPERTY_SLACK
    fit = min(best.near / _PROPERTY_SURE, 1 - lack / _PROPERTY_SHORT)
    if fit < _PROPERTY_FIT:
        return None
    near = best.near - _PROPERTY_SAME_VALUES
    same = [best, *(p for p in ranked[1:] if p.near >= near and _agree(context, best, p))]
    others = [p for p in ranked if p not in same]
    if _HEIGHT.issuperset(words[0].split()):
        _in_metres(context, ids, same)
    rows: dict[int, list[Row]] = defaultdict(list)
    for p in same:
        for (node, literal, leg, when), span in zip(p.rows, p.spans, strict=True):
            if span is not None:
                rows[node].append((span, literal, leg, when))
    if kind != "date":
        _add_times(context, rows.values(), fewest=1 if during is not None else 2)
    if during is not None:
        rows = {n: mine for n, own in rows.items() if (mine := [row for row in own if _is_within(row[3], during)])}
    values = {n: settled(own, last=last or _ends(words[0])) for n, own in rows.items()}
    ahead = best.near - max((p.near for p in others), default=0.0)
    lead = min(1.0, max(0.0, 0.5 + _PROPERTY_LEAD * ahead))
    text = noun(context.space.key(abs(best.code)), text_of(context.space, best.code))
    return Attribute(values, text, min(1.0, fit), lead, best.code)


def _is_within(when: str, during: Condition) -> bool:
    """Return True if the time of a value lies within the time that is asked for."""
    span = date_span(when)
    return span is not None and during.low <= span.low and span.high <= during.high


def _add_times(context: Context, things: Iterable[list[Row]], *, fewest: int) -> None:
    """Put the times that facts state as qualifiers next to undated values of a thing: populations by year."""
    undated = [
        (own, n) for own in things if len(own) >= fewest and not any(row[3] for row in own) for n in range(len(own))
    ]
    if not 0 < len(undated) <= MOST_QUALIFIED:
        return
    handles = np.array([own[n][2].handles[-1] for own, n in undated], np.int64)
    facts = context.snapshot.facts(handles[:, 0].astype(np.int16), handles[:, 1])
    for (own, n), fact in zip(undated, facts, strict=True):
        when = next((value for _, value in fact.qualifiers if date_span(value) is not None), "")
        own[n] = (*own[n][:3], when)


def _in_metres(context: Context, ids: Ids, properties: Sequence[_Property]) -> None:
    """Convert people's heights to metres where a source means centimetres without saying so; drop impossible ones."""
    known = context.entities(ids.tolist())
    kinds = {n: [kinds_named(head(t.rsplit(".", 1)[-1])) for t in e.types] for n, e in known.items()}
    people = {n for n, own in kinds.items() if any("person" in k for k in own)}
    for p in properties:
        if unit_dimensions().get(text_of(context.space, p.code).split()[-1]):
            continue  # "height cm" says what it means
        for i, ((node, _, _, _), span) in enumerate(zip(p.rows, p.spans, strict=True)):
            if span is not None and node in people and span.low > _TALLEST:
                p.spans[i] = Span(span.low / 100, span.high / 100) if span.low > _FEET else None


_HEIGHT: Final = frozenset({"height"})
_TALLEST: Final = 3.0
"""Metres over which nobody is tall."""

_FEET: Final = 30.0
"""Up to what a height is in feet."""


def _known(context: Context, words: tuple[str, ...]) -> float:
    """Return how near the property is that fits the wordings best, of all in the part of the store asked about."""
    space, cost = context.space, thresholds.PROPERTY_WORDING
    asked = space.embedder.embed(list(words))
    near = space.forward[space.inside] @ asked.T - cost * np.arange(len(words), dtype=np.float32)
    return float(near.max(initial=0.0))


def _ends(word: str) -> bool:
    """Return True if an attribute is about an end, so that the last of several dates is meant."""
    return bool({"end", "ended", "last", "latest", "final"} & set(word.split()))


def _direct(context: Context, ids: Ids) -> list[_Property]:
    values = context.snapshot.values(ids.tolist())
    allowed = context.segments()
    found: dict[int, _Property] = {}
    columns = (values.node.tolist(), values.pred.tolist(), values.literal, values.segment.tolist(), values.row.tolist())
    for node, pred, literal, segment, row in check_between(zip(*columns, strict=True)):
        if allowed is not None and not allowed[segment]:
            continue
        code = 2 * pred + 1
        leg = Leg(node, code, literal=literal, handles=((segment, row),))
        found.setdefault(code, _Property(code)).rows.append((node, literal, leg, ""))
    return list(found.values())


def _through(context: Context, ids: Ids) -> list[_Property]:
    """Return values of mediators of the things: dated populations, money with its currency, cuts of a film."""
    budget = context.settings.retrieval.edge_budget
    cut = context.snapshot.cut(ids.tolist(), depth=1, budget=budget).of_loads(context.segments())
    own = np.isin(cut.ids, ids)
    joined: list[tuple[int, int, int, int, int]] = []
    for here, there, forward in ((cut.src, cut.dst, 1), (cut.dst, cut.src, 0)):
        rows = np.flatnonzero(own[here] & cut.mediator[there] & ~cut.mediator[here])[: MOST_MEDIATORS - len(joined)]
        legs = 2 * cut.pred[rows].astype(np.int64) + forward
        columns = (cut.ids[there[rows]], cut.ids[here[rows]], legs, cut.segment[rows], cut.row[rows])
        joined += list(zip(*(c.tolist() for c in columns), strict=True))
    return _mediator_values(context, joined, context.space.base)


def _terms(context: Context, found: ThingSet) -> list[_Property]:
    """Return values of the mediators through which the things were found, by their own property only."""
    joined = []
    for trail in found.trails:
        for node in check_between(found.ids.tolist()):
            joined += [(via, node, -1, -1, -1) for via in trail.mediators(node)]
    return _mediator_values(context, joined, 0) if joined else []


def _mediator_values(context: Context, joined: Sequence[tuple[int, int, int, int, int]], base: int) -> list[_Property]:
    """Return properties of mediators: (mediator, thing, leg between them, handle of the fact that states it)."""
    by_mediator: dict[int, list[tuple[int, int, int, int]]] = defaultdict(list)
    for via, node, leg, segment, row in check_between(joined):
        by_mediator[via].append((node, leg, segment, row))
    values = context.snapshot.values(list(by_mediator))
    columns = (values.node.tolist(), values.pred.tolist(), values.literal, values.segment.tolist(), values.row.tolist())
    literals = list(zip(*columns, strict=True))
    when = {via: literal for via, _, literal, _, _ in literals if date_span(literal) is not None}
    found: dict[int, _Property] = {}
    for via, pred, literal, segment, row in check_between(literals):
        tail = 2 * pred + 1
        time = when.get(via, "")
        for node, leg, s, r in by_mediator[via]:
            code = (leg + 1) * base + tail if leg >= 0 else -tail
            handles = ((s, r), (segment, row)) if leg >= 0 else ((segment, row),)
            step = Leg(node, code if leg >= 0 else tail, literal=literal, via=via, handles=handles)
            found.setdefault(code, _Property(code)).rows.append((node, literal, step, "" if time == literal else time))
    return list(found.values())


def _enough(context: Context, properties: Sequence[_Property], words: tuple[str, ...], kind: ValueKind, n: int) -> bool:
    """Return True if the things have the attribute themselves, so that their mediators are not needed."""
    ranked = _ranked(context, properties, words, kind, n)
    least = _PROPERTY_DIRECT
    return bool(ranked) and ranked[0].near >= least and 2 * len(ranked[0].owners) >= n


def _ranked(
    context: Context, properties: Sequence[_Property], words: tuple[str, ...], kind: ValueKind, n: int
) -> list[_Property]:
    """Return the properties of the kind that are near to a wording, best first."""
    space, some = context.space, []
    other = kind == "date" and not any(map(of_life, words))
    no_issue = kind == "date" and not any(map(_of_issue, words))
    for p in properties:
        if other and of_life(called(space, p.code)):
            continue  # who took office first is not the one who was born first
        if no_issue and _of_issue(called(space, p.code)):
            continue  # when a ship sank is not when the film of it came out
        if _other_end_of_life(words, called(space, p.code)):
            continue  # a table that only has a column "born" states no death
        if all(is_another_measure(w, called(space, p.code)) for w in words):
            continue  # a table that only has a column "length" states no width
        if not p.spans:
            p.spans = [span_of(literal, kind) for _, literal, _, _ in p.rows]
        if kind == "any" or sum(s is not None for s in p.spans) >= _PROPERTY_KIND * len(p.spans):
            some.append(p)
    if not some:
        return []
    asked = space.embedder.embed(list(words))
    property_vectors = space.vectors(np.array([abs(p.code) for p in some], np.int64))
    near = np.maximum(property_vectors @ asked.T, space.embedder.embed([called(space, p.code) for p in some]) @ asked.T)
    near = near - thresholds.PROPERTY_WORDING * np.arange(len(words), dtype=np.float32)
    for p, close in zip(some, near.max(axis=1).tolist(), strict=True):
        p.near = float(close)
        p.score = p.near + _PROPERTY_COVERED * len(p.owners) / n
        p.score -= _PROPERTY_MEDIATED if p.code >= space.base else 0.0
        p.score += _PROPERTY_OWN_TERM if p.code < 0 else 0.0
    return sorted((p for p in some if p.near >= _PROPERTY_NEAR), key=lambda p: (-round(p.score, 6), p.code))


def called(space: RelationSpace, code: int) -> str:
    """Return the words of a property without the type that it is stated of: "height meters" of a person."""
    if abs(code) < space.base and _TYPED.fullmatch(key := space.leg_key(abs(code))[0]):
        return key.rsplit(".", 1)[-1].replace("_", " ")
    return text_of(space, code)


_TYPED: Final = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+){2,}")


def text_of(space: RelationSpace, code: int) -> str:
    """Return the words of a property, also of one of the mediator's own."""
    return space.text(abs(code))


def _agree(context: Context, one: _Property, other: _Property) -> bool:
    """Return True if two properties say the same of the things that have both.

    If no thing has both, their wordings decide.
    """
    first, second = _by_node(one), _by_node(other)
    both = first.keys() & second.keys()
    texts = context.space.vectors(np.array([abs(one.code), abs(other.code)], np.int64))
    alike = float(texts[0] @ texts[1]) >= _PROPERTY_SAME_TEXTS
    if both:
        same = sum(_both_state(first[n], second[n], series=alike) for n in both)
        return same >= _PROPERTY_SAME_SHARE * len(both)
    if not one.loads & other.loads:
        return other.near >= _PROPERTY_SAME_SOURCES
    return alike and other.near >= one.near - _PROPERTY_SAME


def _both_state(one: Sequence[Span], other: Sequence[Span], *, series: bool) -> bool:
    """Return True for a common value, which suffices for dates and one ``series``; else half of each."""
    series = series or any(s.high > s.low for s in one)
    common = sum(any(_close(a, b) for b in other) for a in one), sum(any(_close(a, b) for a in one) for b in other)
    return min(common) > 0 and (series or all(2 * n >= len(own) for n, own in zip(common, (one, other), strict=True)))


def _close(one: Span, other: Span) -> bool:
    """Return True if values may mean the same.

    Dates within a year may, because sources differ in whether a first night counts.
    """
    dates = one.high > one.low and other.high > other.low
    return one.low - other.high < 1 and other.low - one.high < 1 if dates else one.agrees(other)


def _by_node(p: _Property) -> dict[int, list[Span]]:
    found: dict[int, list[Span]] = defaultdict(list)
    for (node, _, _, _), span in zip(p.rows, p.spans, strict=True):
        if span is not None:
            found[node].append(span)
    return found
