"""Claims through mediators: what a CVT node states about an entity, with its other slots as qualifiers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hydra_kg.domain import Fact, Node, Subgraph
from hydra_kg.ports import Snapshot
from hydra_kg.text.literals import is_literal, literal_kind

MediatedStatement = tuple[int, str, Node, Fact]
"""The class of the entity, the attribute, the stated value, and the fact that states it."""


class _Edge(NamedTuple):
    """A link or literal fact of a mediator. ``end`` is the class id of a link's other end, or the literal."""

    mediator: int
    name: str
    end: int | str
    fact: Fact


def read_mediated_claims(
    snapshot: Snapshot,
    graph: Subgraph,
    classes: Sequence[int],
    names: Sequence[str],
    *,
    inverse: Sequence[str],
    literal: Callable[[str], Node],
    attributes: Collection[str] | None = None,
) -> Iterator[MediatedStatement]:
    """Yield the statements that the mediators next to ``classes`` make about them.

    - ``graph``: the cut of depth 1 around the classes, which has all slots.
    - ``names``, ``inverse``: the attribute of each predicate, and its attribute in the other direction ("" if unknown).
    - ``attributes``: mediators that state none of these are skipped.

    An entity in another slot is a claim, named after that slot (``people.marriage.spouse``: spouse). The literals of
    the mediator are its qualifiers (``from``, ``to``). A mediator without another entity states its literals, named
    after the predicate that leads to it (``population``) and qualified by its dates. Only slots of a source that also
    links the entity to the mediator count, because a source that states one leg does not state the whole hop.
    """
    ids, into, out = graph.ids, graph.mediator[graph.dst], graph.mediator[graph.src]
    at = np.flatnonzero(into != out)
    if attributes is not None:
        fits = [n for n in range(len(names)) if names[n] in attributes or inverse[n] in attributes]
        joined = np.where(into, graph.dst, graph.src)
        at = at[np.isin(joined[at], joined[at][np.isin(graph.pred[at], fits)])]
    if not len(at):
        return
    wanted = set(classes)
    facts = snapshot.facts(graph.segment[at], graph.row[at])
    ways: list[tuple[int, _Edge]] = []
    slots: dict[int, list[_Edge]] = {}
    for edge, fact in zip(at.tolist(), facts, strict=True):
        forward, pred = bool(into[edge]), int(graph.pred[edge])
        ends = int(ids[graph.src[edge]]), int(ids[graph.dst[edge]])
        mediator, other = (ends[1], ends[0]) if forward else ends
        if other in wanted:
            ways.append((other, _Edge(mediator, names[pred] if forward else inverse[pred], other, fact)))
        slots.setdefault(mediator, []).append(_Edge(mediator, inverse[pred] if forward else names[pred], other, fact))
    reached = sorted({way.mediator for _, way in ways})
    literals: dict[int, list[_Edge]] = {}
    for literal_fact in _literals(snapshot, reached, names):
        literals.setdefault(literal_fact.mediator, []).append(literal_fact)
    nodes = sorted({int(s.end) for m in reached for s in slots[m]})
    known = {e.node.id: e.node for e in snapshot.entities(nodes)}
    seen: set[tuple[int, int, str]] = set()
    for entity, way in sorted(ways, key=lambda w: (w[0], w[1].mediator, w[1].fact.source.name, not w[1].name)):
        source = way.fact.source.name
        if (entity, way.mediator, source) in seen:
            continue
        seen.add((entity, way.mediator, source))
        stated_literals = [e for e in literals.get(way.mediator, ()) if e.fact.source.name == source]
        others = [s for s in slots[way.mediator] if s.end != entity and s.fact.source.name == source]
        for slot in _once(others):
            yield entity, slot.name, known[int(slot.end)], _qualified(slot.fact, stated_literals)
        if not others and way.name:
            dates = [e for e in stated_literals if literal_kind(str(e.end)) == "date"]
            for literal_fact in (e for e in stated_literals if e not in dates):
                yield entity, way.name, literal(str(literal_fact.end)), _qualified(literal_fact.fact, dates)


def _literals(snapshot: Snapshot, mediators: Sequence[int], names: Sequence[str]) -> Iterator[_Edge]:
    values = snapshot.values(list(mediators))
    selected = np.flatnonzero([is_literal(text) for text in values.literal])
    facts = snapshot.facts(values.segment[selected], values.row[selected])
    for i, fact in zip(selected.tolist(), facts, strict=True):
        yield _Edge(int(values.node[i]), names[int(values.pred[i])], values.literal[i], fact)


def _once(slots: Sequence[_Edge]) -> Iterator[_Edge]:
    """Yield the named slots, each end once, because a dump often states both directions of one slot."""
    found: set[tuple[str, int | str]] = set()
    for slot in sorted(slots, key=lambda s: (s.name, s.end, s.fact.id)):
        if slot.name and (slot.name, slot.end) not in found:
            found.add((slot.name, slot.end))
            yield slot


def _qualified(fact: Fact, stated_literals: Sequence[_Edge]) -> Fact:
    return replace(fact, qualifiers=tuple(sorted({*fact.qualifiers, *((e.name, str(e.end)) for e in stated_literals)})))
