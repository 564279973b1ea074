"""A cut seen as hops: mediators collapsed, edges walked in both directions, nodes renumbered densely."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Hops as HopMode
from hydra_kg.domain import Ids, Index, Subgraph

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """One hop from each of many walkers, as columns of equal length (k).

    walker: int64, index of the walker that took it · code: int64 relation code (see HopGraph) · via: int32 local
    mediator or -1 · end: int32 local node reached · edge, edge2: int64 rows of the cut (edge2 -1 without mediator).
    """

    walker: Ids
    code: Codes
    via: Index
    end: Index
    edge: Ids
    edge2: Ids

    def __len__(self) -> int:
        return len(self.end)

    def take(self, index: npt.NDArray[np.intp] | npt.NDArray[np.bool_]) -> Steps:
        """The rows of ``index``."""
        return Steps(
            self.walker[index], self.code[index], self.via[index], self.end[index], self.edge[index], self.edge2[index]
        )


class HopGraph:
    """The edges of a cut under local node numbers, with hop expansion.

    A *leg* is ``2 * predicate + (1 if walked forward else 0)``. The code of a direct hop is its leg; through a
    mediator it is ``(leg_in + 1) * base + leg_out`` with ``base = 2 * number of predicates``.
    """

    def __init__(self, graph: Subgraph, *, predicates: int, hops: HopMode = "entity", max_level: int = 127) -> None:
        self.graph = graph
        self.base = 2 * predicates
        self.nodes = graph.nodes
        self.ids: Ids = graph.ids[graph.nodes]
        self._place = np.empty(len(graph.ids), np.int32)  # only the touched pages are ever mapped
        self._place[graph.nodes] = np.arange(len(graph.nodes), dtype=np.int32)
        self._rows = np.flatnonzero(graph.level <= max_level) if max_level < 127 else None
        near, far = (graph.src, graph.dst) if self._rows is None else (graph.src[self._rows], graph.dst[self._rows])
        self.src: Index = self._place[near]
        self.dst: Index = self._place[far]
        collapse = hops == "entity"
        self.mediator = graph.mediator[graph.nodes] if collapse else np.zeros(len(graph.nodes), np.bool_)
        self.topics: Index = self._place[graph.topics]
        self.degree: Index = graph.degree[graph.nodes]
        self._around: dict[int, Steps] = {}

    def __len__(self) -> int:
        return len(self.nodes)

    def __contains__(self, node: int) -> bool:
        """Whether a class id is inside the cut: :meth:`local` for one, without arrays."""
        where = int(self.graph.ids.searchsorted(node))
        if where == len(self.graph.ids) or self.graph.ids[where] != node:
            return False
        found = int(self._place[where])
        return 0 <= found < len(self.nodes) and bool(self.nodes[found] == where)

    def local(self, ids: Ids) -> Index:
        """Local numbers of class ids, -1 for those outside the cut."""
        out = np.full(len(ids), -1, np.int32)
        if not len(self.nodes):
            return out
        where = np.minimum(np.searchsorted(self.graph.ids, ids), len(self.graph.ids) - 1)
        found = self._place[where]  # anything where no class of the cut is: so what stands there must point back
        inside = (found >= 0) & (found < len(self.nodes)) & (self.graph.ids[where] == ids)
        inside[inside] = self.nodes[found[inside]] == where[inside]
        out[inside] = found[inside]
        return out

    def expand(self, nodes: Index, *, limit: int = 2_000_000) -> Steps:
        """All hops from ``nodes`` (one walker each; int32 (w,)), never back to where the walker stands.

        ``limit`` bounds the rows of either leg; the first by (level, load, row) stay.
        """
        first = self._legs(nodes, limit)
        med = self.mediator[first.end]
        direct = first.take(~med)
        into = first.take(med)
        if not len(into):
            return direct.take(direct.end != nodes[direct.walker])
        out = self._legs(into.end, limit)
        keep = (out.end != nodes[into.walker[out.walker]]) & ~self.mediator[out.end]
        out = out.take(keep)
        back = out.walker
        through = Steps(
            into.walker[back],
            (into.code[back] + 1) * self.base + out.code,
            into.end[back],
            out.end,
            into.edge[back],
            out.edge,
        )
        joined = _concatenate(direct, through)
        return joined.take(joined.end != nodes[joined.walker])

    def around(self, node: int) -> Steps:
        """All hops from one local node; kept, because several steps ask for those of the topics."""
        if node not in self._around:
            self._around[node] = self.expand(np.array([node], np.int32))
        return self._around[node]

    def _legs(self, nodes: Index, limit: int) -> Steps:
        """Single edges at the walkers' nodes, both directions, by (level, load, row) of the fact; ``end`` is the other
        end. Stores give the edges of a level in orders of their own, and of several equal ones a step takes the
        first."""
        walkers = np.argsort(nodes, kind="stable")
        places, first, times_at = np.unique(nodes[walkers], return_index=True, return_counts=True)
        here = np.zeros(len(self.nodes), np.bool_)
        here[places] = True
        start, count = np.zeros(len(self.nodes), np.int32), np.zeros(len(self.nodes), np.int32)
        start[places], count[places] = first, times_at
        parts = []
        for own, other, forward in ((self.src, self.dst, 1), (self.dst, self.src, 0)):
            rows = np.flatnonzero(here[own])
            if forward == 0:
                rows = rows[self.src[rows] != self.dst[rows]]
            edges = rows if self._rows is None else self._rows[rows]
            order = np.argsort(self._fact(edges))
            rows, edges = rows[order], edges[order]
            at = own[rows]
            times = count[at].astype(np.int64)
            total = np.cumsum(times)
            if len(total) and total[-1] > limit:
                stop = int(np.searchsorted(total, limit, side="right"))
                rows, edges, at, times, total = rows[:stop], edges[:stop], at[:stop], times[:stop], total[:stop]
            slot = start[at]
            if len(total) and total[-1] > len(total):  # several walkers stand at one place
                slot = np.repeat(slot - (total - times), times) + np.arange(total[-1])
                rows, edges = np.repeat(rows, times), np.repeat(edges, times)
            code = 2 * self.graph.pred[edges].astype(np.int64) + forward
            none = np.full(len(rows), -1, np.int32)
            parts.append(Steps(walkers[slot], code, none, other[rows], edges, none.astype(np.int64)))
        return _concatenate(*parts)

    def _fact(self, edges: Ids) -> Ids:
        """int64: the facts of these edges of the cut in the order of level, load and row, which fits 40 bits."""
        cut = self.graph
        return cut.level[edges].astype(np.int64) << 56 | cut.segment[edges].astype(np.int64) << 40 | cut.row[edges]


class Inside(Collection[int]):
    """The class ids of a cut (its nodes, with edges or without), and ``more``: no set is made of hundreds of thousands
    to ask for a few."""

    def __init__(self, graph: HopGraph, more: frozenset[int] = frozenset()) -> None:
        self._graph, self._more = graph, more
        self._known: dict[object, bool] = {}

    def __contains__(self, node: object) -> bool:
        if node not in self._known:
            self._known[node] = node in self._more or (isinstance(node, int) and node in self._graph)
        return self._known[node]

    def __iter__(self) -> Iterator[int]:
        cut = Inside(self._graph)
        yield from self._graph.ids.tolist()
        yield from (n for n in sorted(self._more) if n not in cut)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __or__(self, more: Collection[int]) -> Inside:
        return Inside(self._graph, self._more | frozenset(more))


def legs_of(code: int, base: int) -> tuple[int, ...]:
    """A hop's code as one or two legs."""
    return (code,) if code < base else (code // base - 1, code % base)


def _concatenate(*parts: Steps) -> Steps:
    return Steps(*(np.concatenate([getattr(p, f) for p in parts]) for f in Steps.__slots__))
