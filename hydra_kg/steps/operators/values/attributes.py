"""Values of things: which of the properties that they have is the one that is asked for, and what it says of each."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.phrases import noun
from hydra_kg.plan.model import ValueKind
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.steps.operators.results.found import Leg, StatedValue, ThingSet
from hydra_kg.steps.operators.results.spans import Span, date_span, span_of
from hydra_kg.steps.operators.values.settling import settled

NEAR: Final = 0.45
"""Cosine of a property and a wording of the attribute from which it may be what is asked for."""

NEAR_ENOUGH: Final = 0.8
"""Cosine from which a property surely is what is asked for."""

SLACK: Final = 0.1
SHORT: Final = 0.5
"""Nearness that a property may lack to what says the attribute best of all, and from where on it lacks so much that
another is stated and not the one asked for."""

LEAST_FIT: Final = 0.5
"""Fit below which a property is not what is asked for."""

NEXT_WORDING: Final = 0.04
"""What each further wording of an attribute costs."""

COVERED: Final = 0.3
"""What a property is worth that every thing has."""

THROUGH: Final = 0.05
"""What a property costs that a mediator holds."""

SAME: Final = 0.2
"""Nearness within which a property may say the same as the best one by its wording alone."""

ALIKE: Final = 0.5
"""Nearness within which it may where the values agree."""

SAYS: Final = 0.6
"""Nearness from which properties of two sources that no thing has both are taken to say the same."""

READ: Final = 0.6
"""Share of a property's literals that must be of the kind asked for."""

MOST_MEDIATORS: Final = 20_000
OWN_TERM: Final = 0.15
"""What a property of the very mediator is worth through which a thing was found: the term as president, not another."""


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """One value for each thing that has one: ``text`` of the best property, how well it fits, in [0, 1], and its lead
    over the next other one."""

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
    """The wordings of an attribute, best first."""
    return tuple(w.strip() for w in attribute.split(";") if w.strip())


def attribute_of(
    context: Context, found: ThingSet, attribute: str, kind: ValueKind, *, last: bool = False
) -> Attribute | None:
    """The value of each thing under the property that fits best, with like properties of other sources; None where
    no property of theirs says it. ``last``: of several dates the last one counts, not the first."""
    ids = found.ids
    if not len(ids) or not (words := wordings(attribute)):
        return None
    properties = _direct(context, ids)
    if not _enough(context, properties, words, kind, len(ids)):
        properties += _through(context, ids)
    properties += _terms(context, found)
    ranked = _ranked(context.space, properties, words, kind, len(ids))
    if not ranked:
        return None
    best = ranked[0]
    fit = min(best.near / NEAR_ENOUGH, 1 - (_known(context.space, words) - best.near - SLACK) / SHORT)
    if fit < LEAST_FIT:
        return None
    same = [best, *(p for p in ranked[1:] if p.near >= best.near - ALIKE and _agree(context.space, best, p))]
    others = [p for p in ranked if p not in same]
    rows: dict[int, list[tuple[Span, str, Leg, str]]] = defaultdict(list)
    for p in same:
        for (node, literal, leg, when), span in zip(p.rows, p.spans, strict=True):
            if span is not None:
                rows[node].append((span, literal, leg, when))
    values = {n: settled(own, last=last or _ends(words[0])) for n, own in rows.items()}
    lead = min(1.0, max(0.0, 0.5 + 2 * (best.near - max((p.near for p in others), default=0.0))))
    text = noun(context.space.key(abs(best.code)), text_of(context.space, best.code))
    return Attribute(values, text, min(1.0, fit), lead, best.code)


def _known(space: RelationSpace, words: tuple[str, ...]) -> float:
    """Nearness of what fits the wordings best of all that is stated of anything."""
    asked = space.embedder.embed(list(words))
    near = space.forward @ asked.T - NEXT_WORDING * np.arange(len(words), dtype=np.float32)
    return float(near.max(initial=0.0))


def _ends(word: str) -> bool:
    """Whether an attribute is about an end: of several dates the last is meant."""
    return bool({"end", "ended", "last", "latest", "final"} & set(word.split()))


def _direct(context: Context, ids: Ids) -> list[_Property]:
    values = context.snapshot.values(ids.tolist())
    allowed = context.segments()
    found: dict[int, _Property] = {}
    columns = (values.node.tolist(), values.pred.tolist(), values.literal, values.segment.tolist(), values.row.tolist())
    for node, pred, literal, segment, row in zip(*columns, strict=True):
        if allowed is not None and not allowed[segment]:
            continue
        code = 2 * pred + 1
        leg = Leg(node, code, literal=literal, handles=((segment, row),))
        found.setdefault(code, _Property(code)).rows.append((node, literal, leg, ""))
    return list(found.values())


def _through(context: Context, ids: Ids) -> list[_Property]:
    """Values that mediators beside the things hold: dated populations, money with its currency, cuts of a film."""
    cut = context.snapshot.cut(ids.tolist(), depth=1, budget=context.settings.retrieval.edge_budget)
    if (allowed := context.segments()) is not None:
        cut = cut.select(allowed[cut.segment])
    own = np.isin(cut.ids, ids)
    joined = []
    for here, there, forward in ((cut.src, cut.dst, 1), (cut.dst, cut.src, 0)):
        rows = np.flatnonzero(own[here] & cut.mediator[there] & ~cut.mediator[here])
        legs = 2 * cut.pred[rows].astype(np.int64) + forward
        columns = (cut.ids[there[rows]], cut.ids[here[rows]], legs, cut.segment[rows], cut.row[rows])
        joined += list(zip(*(c.tolist() for c in columns), strict=True))
    return _mediator_values(context, joined[:MOST_MEDIATORS], context.space.base)


def _terms(context: Context, found: ThingSet) -> list[_Property]:
    """Values of the mediators through which the things were found, by their own property alone."""
    joined = []
    for trail in found.trails:
        for node in found.ids.tolist():
            joined += [(via, node, -1, -1, -1) for via in trail.mediators(node)]
    return _mediator_values(context, joined, 0) if joined else []


def _mediator_values(context: Context, joined: Sequence[tuple[int, int, int, int, int]], base: int) -> list[_Property]:
    """Properties of mediators: (mediator, thing, leg between them, handle of the fact that states it)."""
    by_mediator: dict[int, list[tuple[int, int, int, int]]] = defaultdict(list)
    for via, node, leg, segment, row in joined:
        by_mediator[via].append((node, leg, segment, row))
    values = context.snapshot.values(list(by_mediator))
    columns = (values.node.tolist(), values.pred.tolist(), values.literal, values.segment.tolist(), values.row.tolist())
    literals = list(zip(*columns, strict=True))
    when = {via: literal for via, _, literal, _, _ in literals if date_span(literal) is not None}
    found: dict[int, _Property] = {}
    for via, pred, literal, segment, row in literals:
        tail = 2 * pred + 1
        time = when.get(via, "")
        for node, leg, s, r in by_mediator[via]:
            code = (leg + 1) * base + tail if leg >= 0 else -tail
            handles = ((s, r), (segment, row)) if leg >= 0 else ((segment, row),)
            step = Leg(node, code if leg >= 0 else tail, literal=literal, via=via, handles=handles)
            found.setdefault(code, _Property(code)).rows.append((node, literal, step, "" if time == literal else time))
    return list(found.values())


def _enough(context: Context, properties: Sequence[_Property], words: tuple[str, ...], kind: ValueKind, n: int) -> bool:
    """Whether the things have the attribute themselves, so that their mediators need no look."""
    ranked = _ranked(context.space, properties, words, kind, n)
    return bool(ranked) and ranked[0].near >= 0.65 and 2 * len(ranked[0].owners) >= n


def _ranked(
    space: RelationSpace, properties: Sequence[_Property], words: tuple[str, ...], kind: ValueKind, n: int
) -> list[_Property]:
    """The properties of the kind that are near to a wording, best first."""
    some = []
    for p in properties:
        if not p.spans:
            p.spans = [span_of(literal, kind) for _, literal, _, _ in p.rows]
        if kind == "any" or sum(s is not None for s in p.spans) >= READ * len(p.spans):
            some.append(p)
    if not some:
        return []
    asked = space.embedder.embed(list(words))
    property_vectors = space.vectors(np.array([abs(p.code) for p in some], np.int64))
    near = np.maximum(property_vectors @ asked.T, space.embedder.embed([called(space, p.code) for p in some]) @ asked.T)
    near = near - NEXT_WORDING * np.arange(len(words), dtype=np.float32)
    for p, close in zip(some, near.max(axis=1).tolist(), strict=True):
        p.near = float(close)
        p.score = p.near + COVERED * len(p.owners) / n - (THROUGH if p.code >= space.base else 0.0)
        p.score += OWN_TERM if p.code < 0 else 0.0
    return sorted((p for p in some if p.near >= NEAR), key=lambda p: (-round(p.score, 6), p.code))


def called(space: RelationSpace, code: int) -> str:
    """The words of a property without the type that it is stated of: "height meters" of a person."""
    key, text = space.leg_key(abs(code))[0], text_of(space, code)
    return key.rsplit(".", 1)[-1].replace("_", " ") if abs(code) < space.base and _TYPED.fullmatch(key) else text


_TYPED: Final = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+){2,}")


def text_of(space: RelationSpace, code: int) -> str:
    """The words of a property, also of one of the mediator's own."""
    return space.text(abs(code))


def _agree(space: RelationSpace, one: _Property, other: _Property) -> bool:
    """Whether two properties say the same of the things that have both; where none has, by their wording."""
    first, second = _by_node(one), _by_node(other)
    both = first.keys() & second.keys()
    if both:
        same = sum(any(_close(a, b) for a in first[n] for b in second[n]) for n in both)
        return same >= 0.6 * len(both)
    if not one.loads & other.loads:
        return other.near >= SAYS
    texts = space.vectors(np.array([abs(one.code), abs(other.code)], np.int64))
    return float(texts[0] @ texts[1]) >= 0.5 and other.near >= one.near - SAME


def _close(one: Span, other: Span) -> bool:
    """Whether values may be about the same: dates within a year, for sources differ in whether a first night counts."""
    dates = one.high > one.low and other.high > other.low
    return one.low - other.high < 1 and other.low - one.high < 1 if dates else one.agrees(other)


def _by_node(p: _Property) -> dict[int, list[Span]]:
    found: dict[int, list[Span]] = defaultdict(list)
    for (node, _, _, _), span in zip(p.rows, p.spans, strict=True):
        if span is not None:
            found[node].append(span)
    return found
