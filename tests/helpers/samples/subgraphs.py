"""Small cuts made by hand or by hypothesis, and what can be walked in them by dictionaries and loops alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from hydra_kg.domain import Subgraph
from hydra_kg.steps.graph.cut_hops import HopGraph, legs_of
from hydra_kg.steps.retrieval.path_search import Codes, Tree

PREDICATES = 3
WIDE = 10**6
"""Wider than anything that a test walks."""


@dataclass(frozen=True)
class Net:
    """A cut as people draw it. Nodes are 0 … nodes - 1; edges are (subject, predicate, object), in the order of the
    cut's rows. ``order``: the local numbers of a HopGraph, as the cut lists its nodes."""

    nodes: int
    edges: tuple[tuple[int, int, int], ...]
    mediators: frozenset[int] = frozenset()
    topics: tuple[int, ...] = (0,)
    order: tuple[int, ...] = ()
    levels: tuple[int, ...] = ()

    def subgraph(self) -> Subgraph:
        """The same as columns; ids are 100, 110, 120, … and there is one more class that the cut did not reach."""
        src, pred, dst = np.array(self.edges, np.int32).reshape(-1, 3).T
        size, m = self.nodes + 1, len(self.edges)
        degree = np.bincount(np.r_[src, dst], minlength=size)
        return Subgraph(
            ids=100 + 10 * np.arange(size, dtype=np.int64),
            mediator=np.isin(np.arange(size), sorted(self.mediators)),
            degree=degree.astype(np.int32),
            nodes=np.array(self.order or range(self.nodes), np.int32),
            depth=np.zeros(self.nodes, np.int8),
            src=src.copy(),
            dst=dst.copy(),
            pred=pred.copy(),
            segment=np.zeros(m, np.int16),
            row=np.arange(m, dtype=np.int64),
            level=np.array(self.levels or [0] * m, np.int8),
            topics=np.array(self.topics, np.int32),
        )

    def hops(self, **how: object) -> HopGraph:
        """The same as hops."""
        return HopGraph(self.subgraph(), predicates=PREDICATES, **how)  # type: ignore[arg-type]

    def local(self, node: int) -> int:
        """The local number of a node."""
        return self.order.index(node) if self.order else node

    def node(self, local: int) -> int:
        """The node of a local number."""
        return self.order[local] if self.order else local


@dataclass(frozen=True, order=True)
class Hop:
    """One hop in a Net: legs as (predicate, forward), the mediator or -1, the end, the rows of its edges."""

    legs: tuple[tuple[int, bool], ...]
    via: int
    end: int
    rows: tuple[int, ...]


Relation = tuple[tuple[tuple[int, bool], ...], ...]
"""A relation path: the legs of each hop."""


def legs(net: Net, node: int) -> Iterator[tuple[tuple[int, bool], int, int]]:
    """(leg, other end, row) of every edge at a node."""
    for row, (s, p, o) in enumerate(net.edges):
        if s == node:
            yield (p, True), o, row
        elif o == node:
            yield (p, False), s, row


def hops(net: Net, node: int) -> list[Hop]:
    """Every hop from a node to another one; an event between two entities belongs to one hop."""
    found = []
    for leg, end, row in legs(net, node):
        if end in net.mediators:
            for second, far, row2 in legs(net, end):
                if far not in net.mediators and far != node:
                    found.append(Hop((leg, second), end, far, (row, row2)))
        elif end != node:
            found.append(Hop((leg,), -1, end, (row,)))
    return sorted(found)


def walks(net: Net, topic: int, length: int, avoid: Iterable[int] = ()) -> Iterator[tuple[Hop, ...]]:
    """All chains of exactly ``length`` hops from a topic that pass no node twice and none to be avoided."""
    seen = {topic, *avoid}

    def grow(chain: tuple[Hop, ...], here: int, passed: frozenset[int]) -> Iterator[tuple[Hop, ...]]:
        if len(chain) == length:
            yield chain
            return
        for hop in hops(net, here):
            if hop.end not in passed:
                yield from grow((*chain, hop), hop.end, passed | {hop.end})

    yield from grow((), topic, frozenset(seen))


def relations(net: Net, topic: int, length: int, avoid: Iterable[int] = ()) -> dict[Relation, set[int]]:
    """The relation paths of one length with the ends that each reaches."""
    found: dict[Relation, set[int]] = {}
    for chain in walks(net, topic, length, avoid):
        found.setdefault(tuple(h.legs for h in chain), set()).add(chain[-1].end)
    return found


def read(codes: Iterable[int]) -> Relation:
    """Hop codes as legs."""
    return tuple(tuple((leg >> 1, bool(leg & 1)) for leg in legs_of(int(code), 2 * PREDICATES)) for code in codes)


def write(relation: Relation) -> tuple[int, ...]:
    """Legs as hop codes: the other way round."""
    codes = []
    for hop in relation:
        first, *second = [2 * p + forward for p, forward in hop]
        codes.append((first + 1) * 2 * PREDICATES + second[0] if second else first)
    return tuple(codes)


def instances(
    tree: Tree, net: Net
) -> list[tuple[Relation, tuple[int, ...], tuple[int, ...], tuple[tuple[int, ...], ...]]]:
    """(relation path, nodes, mediators or -1, rows of each hop) of every instance of a tree, in the Net's numbers."""
    out = []
    for k in range(len(tree.path)):
        nodes, via, rows = tree.instance(k)
        assert nodes == tree.nodes(np.array([k]))[0].tolist()
        assert via == tree.via(np.array([k]))[0].tolist()
        passed = tuple(net.node(v) if v >= 0 else -1 for v in via)
        out.append((read(tree.codes[tree.path[k]]), tuple(net.node(n) for n in nodes), passed, tuple(rows)))
    return out


def found(trees: Sequence[Tree], net: Net) -> list[dict[Relation, set[int]]]:
    """What a search found, as :func:`relations` says it: one mapping a length."""
    out = []
    for tree in trees:
        reached: dict[Relation, set[int]] = {}
        for relation, nodes, _, _ in instances(tree, net):
            reached.setdefault(relation, set()).add(nodes[-1])
        out.append(reached)
    return out


def flat(codes: Codes) -> np.ndarray:
    """A scorer that likes all paths alike."""
    return np.zeros(len(codes), np.float32)


def liking(wanted: Mapping[tuple[int, ...], float]) -> object:
    """A scorer that knows what each relation path is worth, 0 if it is not named."""

    def score(codes: Codes) -> np.ndarray:
        return np.array([wanted.get(tuple(row), 0.0) for row in codes.tolist()], np.float32)

    return score


@st.composite
def nets(draw: st.DrawFn, *, topics: int = 1, edges: int = 14) -> Net:
    """Up to six entities and three mediators; edges may be parallel, loops, or join two mediators."""
    entities, events = draw(st.integers(2, 6)), draw(st.integers(0, 3))
    nodes = entities + events
    edge = st.tuples(st.integers(0, nodes - 1), st.integers(0, PREDICATES - 1), st.integers(0, nodes - 1))
    rows = draw(st.lists(edge, max_size=edges))
    order = tuple(draw(st.permutations(range(nodes))))
    levels = tuple(draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows))))
    chosen = draw(st.lists(st.integers(0, entities - 1), min_size=1, max_size=topics, unique=True))
    return Net(nodes, tuple(rows), frozenset(range(entities, nodes)), tuple(chosen), order, levels)
