"""Path instances: names and provenance of the paths that survived pruning, fetched in batches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from hydra_kg.domain import Entity, Fact, Hop, Node, Path
from hydra_kg.ports import Snapshot
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.cut_hops import HopGraph, reversed_code
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.steps.retrieval.topic_constraint import RelationPath
from hydra_kg.util.cancelling import check_between
from hydra_kg.util.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class PathInstance:
    """One instance of a relation path: ``row`` of its tree."""

    path: RelationPath
    row: int


@dataclass(frozen=True, slots=True)
class _Leg:
    subject: int
    object: int
    via: int
    code: int
    edges: tuple[int, ...]


def instances(path: RelationPath, *, most: int) -> list[PathInstance]:
    """Return one instance for each of the first ``most`` end nodes: the first row that reaches it."""
    ends, wanted = path.tree.ends[path.rows], path.ends[:most].tolist()
    if len(wanted) == 1:
        return [PathInstance(path, int(path.rows[(ends == wanted[0]).argmax()]))]
    first = dict(zip(ends[::-1].tolist(), path.rows[::-1].tolist(), strict=True))
    return [PathInstance(path, first[e]) for e in check_between(wanted)]


def materialise(context: Context, wanted: Sequence[PathInstance], graph: HopGraph) -> list[Path]:
    """Return paths with names and facts, in order, hops to touched topics appended (HydraRAG Definition 2)."""
    chains = [_legs(i, graph) for i in wanted]
    local = {n for chain in chains for leg in chain for n in (leg.subject, leg.object, leg.via) if n >= 0}
    known = context.entities([int(graph.ids[n]) for n in local])
    facts = _facts(chains, graph, context.snapshot)
    return [Path(tuple(_hop(leg, graph, context.space, known, facts) for leg in chain)) for chain in chains]


def _legs(instance: PathInstance, graph: HopGraph) -> list[_Leg]:
    chain = instance.path.shown
    nodes, via, edges = chain.instance(instance.row)
    hops = zip(nodes, nodes[1:], via, chain.codes[instance.path.index].tolist(), edges, strict=False)
    legs = [_Leg(near, far, event, code, rows) for near, far, event, code, rows in hops]
    for topic in instance.path.through:
        if topic not in nodes and (extra := _to_topic(nodes, via, topic, graph)):
            legs.append(extra)
    return legs


def _to_topic(nodes: Sequence[int], via: Sequence[int], topic: int, graph: HopGraph) -> _Leg | None:
    """Return a hop from the path (last nodes first) to ``topic``, directly or over a shared event."""
    steps = graph.around(topic)
    on_path = np.isin(steps.end, np.array(nodes, np.int32))
    for node, event in zip(reversed(nodes[1:]), reversed(via), strict=True):
        shared = (steps.via == event) & (event >= 0) & on_path
        fits = np.flatnonzero((steps.end == node) | shared)
        if len(fits):
            k = int(fits[0])
            edges = (int(steps.edge[k]),) if steps.edge2[k] < 0 else (int(steps.edge[k]), int(steps.edge2[k]))
            code = reversed_code(int(steps.code[k]), graph.base)
            return _Leg(int(steps.end[k]), topic, int(steps.via[k]), code, edges[::-1])
    return None


def _facts(chains: Iterable[Sequence[_Leg]], graph: HopGraph, snapshot: Snapshot) -> dict[int, Fact]:
    edges = np.array(sorted({e for chain in chains for leg in chain for e in leg.edges}), np.int64)
    cut = graph.graph
    found = snapshot.facts(cut.segment[edges], cut.row[edges]) if len(edges) else []
    return dict(zip(edges.tolist(), found, strict=True))


def _hop(leg: _Leg, graph: HopGraph, space: RelationSpace, known: Mapping[int, Entity], facts: dict[int, Fact]) -> Hop:
    def node(local: int) -> Node:
        return known[int(graph.ids[local])].node

    first = leg.code if leg.code < space.base else leg.code // space.base - 1
    return Hop(
        node(leg.subject),
        space.key(leg.code),
        space.text(leg.code),
        node(leg.object),
        bool(first & 1),
        node(leg.via) if leg.via >= 0 else None,
        tuple(facts[e] for e in leg.edges),
    )
