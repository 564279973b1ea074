"""List what a store states about one thing, fact by fact with its sources, a page at a time."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby, islice
from typing import Literal

import numpy as np

from hydra_kg.citations import label_of
from hydra_kg.domain import Entity, Node, Predicates
from hydra_kg.errors import NotFoundError, UsageError
from hydra_kg.ports import Snapshot
from hydra_kg.steps.graph.reachable_values import MOST, Handles, Legs, key_of, ways_from, words_of
from hydra_kg.text.folding import fold
from hydra_kg.text.literals import literal_text
from hydra_kg.util.fast_dataclass import dataclass

Direction = Literal["both", "out", "in"]


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact about a thing.

    Attributes:
        object_id: id of the object, "" for values.
        out: whether the thing is the subject.
        places: (source, place) of each statement.
        qualifiers: name and value of what restricts it, such as the time.
        unit: unit of an amount, if its source names one apart from it ("EUR").
    """

    relation: str
    predicate: str
    object: str
    object_id: str
    out: bool
    places: tuple[tuple[str, str], ...]
    qualifiers: tuple[tuple[str, str], ...] = ()
    unit: str = ""


@dataclass(frozen=True, slots=True)
class FactPage:
    """Facts of ``entity`` from position ``start``.

    ``total``: number of all facts that were read. ``unread``: number of the others.
    """

    entity: Entity
    facts: tuple[Stated, ...]
    start: int
    total: int
    unread: int = 0


def find_entity_by_text(snapshot: Snapshot, text: str) -> Entity:
    """Return the thing with an id, or the best known one with a name. Raise NotFoundError."""
    (node,) = snapshot.lookup([text])
    if node is None:
        hits = snapshot.find([text], limit=1)[0]
        node = hits[0].node if hits else None
    if node is None:
        raise NotFoundError(f"Nothing is called {text!r} here.", remedy="Look for its name first (find_entity).")
    (entity,) = snapshot.entities([node])
    return entity


def facts_about(
    snapshot: Snapshot,
    text: str,
    *,
    relation: str = "",
    direction: Direction = "both",
    start: int = 0,
    limit: int = 50,
    each: int = 0,
) -> FactPage:
    """Return facts about a thing, merged over all sources; nameless nodes are passed through.

    Args:
        direction: ``out`` for facts with the thing as subject, ``in`` as object, or ``both``.
        relation: words that the relation must have; all relations if empty.
        start, limit: the first fact of the page and the length of the page.
        each: most facts of one relation; all of them if 0.

    Raise NotFoundError for an unknown thing, UsageError for an invalid page.
    """
    if start < 0 or limit < 1:
        raise UsageError("A page begins at 0 or later and holds at least one fact.")
    entity = find_entity_by_text(snapshot, text)
    graph = snapshot.cut([entity.node.id], depth=1, budget=MOST)
    predicates = snapshot.predicates()
    ways = ways_from(snapshot, graph, entity.node.id)
    words = {legs: words_of(predicates, legs) for legs in {way.legs for way in ways}}
    wanted = fold(relation).split()
    said = {legs for legs, text in words.items() if _says(predicates, legs, text, wanted)}
    rows = {
        way: handles
        for way, handles in ways.items()
        if way.legs in said and direction in ("both", "out" if way.out else "in")
    }
    ordered = sorted(rows, key=lambda w: (words[w.legs], w.legs, isinstance(w.end, str), str(w.end)))
    if each:
        groups = groupby(ordered, key=lambda w: (words[w.legs], w.out))
        ordered = [way for _, group in groups for way in islice(group, each)]
    page = {way: rows[way] for way in ordered[start : start + limit]}
    return FactPage(entity, _collect_statements(snapshot, predicates, page, words), start, len(ordered), graph.dropped)


@dataclass(frozen=True, slots=True)
class RelationCount:
    """A relation of a thing. ``things``: whether it leads to things, not values. ``example``: one end, as text."""

    relation: str
    predicate: str
    out: bool
    things: bool
    count: int
    example: str


def count_relations(snapshot: Snapshot, text: str) -> tuple[Entity, list[RelationCount], int]:
    """Return a thing, its relations with the most facts first, and how many facts were not read.

    No provenance is read, so that things with very many facts are counted too. Raise NotFoundError.
    """
    entity = find_entity_by_text(snapshot, text)
    graph = snapshot.cut([entity.node.id], depth=1, budget=MOST)
    predicates = snapshot.predicates()
    counts: dict[tuple[Legs, bool, bool], int] = {}
    ends: dict[tuple[Legs, bool, bool], int | str] = {}
    for way in ways_from(snapshot, graph, entity.node.id):
        kind = way.legs, way.out, isinstance(way.end, int)
        counts[kind] = counts.get(kind, 0) + 1
        ends.setdefault(kind, way.end)
    nodes = sorted({end for end in ends.values() if isinstance(end, int)})
    names = {node: label_of(e.node.name) for node, e in zip(nodes, snapshot.entities(nodes), strict=True)}
    rows = [
        RelationCount(
            words_of(predicates, legs),
            key_of(predicates, legs),
            out,
            things,
            count,
            names[end] if isinstance(end := ends[legs, out, things], int) else literal_text(end),
        )
        for (legs, out, things), count in counts.items()
    ]
    return entity, sorted(rows, key=lambda r: (-r.count, r.relation, r.predicate)), graph.dropped


def _says(predicates: Predicates, legs: Legs, text: str, wanted: list[str]) -> bool:
    keys = " ".join(f"{predicates.keys[p]} {predicates.texts[p]}" for p, _ in legs)
    said = fold(f"{text} {keys}")
    return all(word in said for word in wanted)


def _collect_statements(
    snapshot: Snapshot, predicates: Predicates, page: Handles, words: Mapping[Legs, str]
) -> tuple[Stated, ...]:
    """Return the statements of one page of facts."""
    ends = sorted({way.end for way in page if isinstance(way.end, int)})
    names = {end: e.node for end, e in zip(ends, snapshot.entities(ends), strict=True)}
    handles = np.array([handle for some in page.values() for handle in some], np.int64).reshape(-1, 2)
    facts = iter(snapshot.facts(handles[:, 0].astype(np.int16), handles[:, 1]))
    stated = []
    for way, some in page.items():
        own = list(islice(facts, len(some)))
        places = dict.fromkeys((f.source.name, str(f.locator)) for f in own)
        said = dict.fromkeys((name, literal_text(value)) for f in own for name, value in f.qualifiers)
        unit = next((value for name, value in said if name == "unit"), "")
        restricts = tuple(one for one in said if one[0] != "unit")
        text, key = (literal_text(way.end), "") if isinstance(way.end, str) else _display_name(names[way.end])
        stated.append(
            Stated(words[way.legs], key_of(predicates, way.legs), text, key, way.out, tuple(places), restricts, unit)
        )
    return tuple(stated)


def _display_name(node: Node) -> tuple[str, str]:
    return label_of(node.name), node.key
