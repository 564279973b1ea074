"""Apply what an ontology states of its properties: their parents, their inverses, and what they join."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Entity, Predicates
from hydra_kg.execution.own_graph import TYPE, Columns, OwnGraph, OwnRelation, local_name
from hydra_kg.language.tokens import split_identifier
from hydra_kg.ports import Snapshot

SAID: Final = {
    "rdf-schema#subPropertyOf": "part",
    "owl#inverseOf": "inverse",
    "rdf-schema#domain": "domain",
    "rdf-schema#range": "range",
}


def apply_ontology(
    graph: OwnGraph, snapshot: Snapshot, predicates: Predicates, links: Mapping[str, npt.NDArray[np.int64]]
) -> None:
    """Apply sub-properties, words of inverses, and domains and ranges to things without a class."""
    axioms: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for pred, key in enumerate(predicates.keys):
        kind = next((k for end, k in SAID.items() if key.endswith(end)), None)
        if kind is not None:
            mine = links["pred"] == pred
            axioms[kind] += zip(links["src"][mine].tolist(), links["dst"][mine].tolist(), strict=True)
    transitive = _transitive(snapshot, predicates, links)
    graph.relations = tuple(
        replace(r, hierarchy=True, transitive=True) if r.key in transitive else r for r in graph.relations
    )
    if not axioms:
        return
    known = snapshot.entities(sorted({n for pairs in axioms.values() for pair in pairs for n in pair}))
    nodes = {e.node.id: e for e in known}
    relations = {r.key: r for r in graph.relations}
    for above, below in _below(axioms["part"]).items():
        parts = [relations[nodes[b].node.key] for b in sorted(below) if b in nodes and nodes[b].node.key in relations]
        if parts and above in nodes:
            own = relations.get(nodes[above].node.key)
            relations[nodes[above].node.key] = _merged(nodes[above], own, parts)
    for one, other in (pair for a, b in axioms["inverse"] for pair in ((a, b), (b, a))):
        if one in nodes and other in nodes and (relation := relations.get(nodes[one].node.key)) is not None:
            more = tuple(dict.fromkeys((*relation.words, *_words(nodes[other]))))
            relations[relation.key] = replace(relation, words=more)
    graph.relations = tuple(relations.values())
    _classes(graph, relations, nodes, axioms)


def _transitive(
    snapshot: Snapshot, predicates: Predicates, links: Mapping[str, npt.NDArray[np.int64]]
) -> frozenset[str]:
    """Return the keys of the properties that the ontology declares to be transitive."""
    typed = np.isin(links["pred"], [i for i, k in enumerate(predicates.keys) if k.endswith(TYPE)])
    classes = np.unique(links["dst"][typed])
    kinds = [e.node.id for e in snapshot.entities(classes.tolist()) if e.node.key.endswith("owl#TransitiveProperty")]
    mine = np.unique(links["src"][typed & np.isin(links["dst"], kinds)])
    return frozenset(e.node.key for e in snapshot.entities(mine.tolist()))


def _below(pairs: Sequence[tuple[int, int]]) -> dict[int, set[int]]:
    """Return all properties below each one, over any number of steps."""
    direct: dict[int, set[int]] = defaultdict(set)
    for below, above in pairs:
        direct[above].add(below)
    found: dict[int, set[int]] = {}
    for above in direct:
        todo, seen = [above], {above}
        while todo:
            for one in direct.get(todo.pop(), ()):
                if one not in seen:
                    seen.add(one)
                    todo.append(one)
        found[above] = seen - {above}
    return found


def _merged(above: Entity, own: OwnRelation | None, parts: Sequence[OwnRelation]) -> OwnRelation:
    every = [*([own] if own is not None else []), *parts]
    base = own or replace(parts[0], key=above.node.key, text=" ".join(_words(above)), words=_words(above))
    return replace(base, there=_joined([r.there for r in every]))


def _joined(some: Sequence[Columns]) -> Columns:
    start, end, segment, row = (
        np.concatenate([getattr(c, name) for c in some]) for name in ("start", "end", "segment", "row")
    )
    return Columns.sort(start, end, segment, row)


def _words(entity: Entity) -> tuple[str, ...]:
    local = local_name(entity.node.key)
    label = entity.node.name if entity.node.name != entity.node.key else local
    return tuple(dict.fromkeys([*split_identifier(label), *split_identifier(local)]))


def _classes(
    graph: OwnGraph,
    relations: Mapping[str, OwnRelation],
    nodes: Mapping[int, Entity],
    axioms: Mapping[str, Sequence[tuple[int, int]]],
) -> None:
    classed = np.unique(np.concatenate([*graph.classes.values(), np.zeros(0, np.int64)]))
    for side in ("domain", "range"):
        for prop, cls in axioms.get(side, ()):
            relation = relations.get(nodes[prop].node.key) if prop in nodes else None
            if relation is None or cls not in nodes:
                continue
            things = np.unique((relation.there if side == "domain" else relation.back).start)
            things = np.setdiff1d(things[things < len(graph.ids)], classed)
            entity = nodes[cls]
            name = " ".join(_words(entity)) if entity.node.name == entity.node.key else entity.node.name
            if len(things):
                graph.classes[name] = np.union1d(graph.classes.get(name, things), things)
                graph.typed = True
