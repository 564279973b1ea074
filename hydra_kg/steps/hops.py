"""A cut seen as hops: mediators collapsed, edges walked in both directions, nodes renumbered densely."""

from __future__ import annotations

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
        scratch = np.empty(len(graph.ids), np.int32)  # only the touched pages are ever mapped
        scratch[graph.nodes] = np.arange(len(graph.nodes), dtype=np.int32)
        rows = np.flatnonzero(graph.level <= max_level) if max_level < 127 else np.arange(len(graph))
        # By fact: stores give the edges of a level in orders of their own, and of several equal ones a step takes the
        # first. Rows of a load fit 40 bits.
        fact = graph.level[rows].astype(np.int64) << 56 | graph.segment[rows].astype(np.int64) << 40 | graph.row[rows]
        self._rows = rows[np.argsort(fact)]
        self.src: Index = scratch[graph.src[self._rows]]
        self.dst: Index = scratch[graph.dst[self._rows]]
        self.pred: Index = graph.pred[self._rows]
        collapse = hops == "entity"
        self.mediator = graph.mediator[graph.nodes] if collapse else np.zeros(len(graph.nodes), np.bool_)
        self.topics: Index = scratch[graph.topics]
        self.degree: Index = graph.degree[graph.nodes]
        self._around: dict[int, Steps] = {}

    def __len__(self) -> int:
        return len(self.nodes)

    def local(self, ids: Ids) -> Index:
        """Local numbers of class ids, -1 for those outside the cut."""
        order = np.argsort(self.ids, kind="stable")
        where = np.minimum(np.searchsorted(self.ids[order], ids), max(len(order) - 1, 0))
        found = order[where] if len(order) else np.zeros(len(ids), np.int64)
        return np.where(len(order) and self.ids[found] == ids, found, -1).astype(np.int32)

    def expand(self, nodes: Index, *, limit: int = 2_000_000) -> Steps:
        """All hops from ``nodes`` (one walker each; int32 (w,)), never back to where the walker stands.

        ``limit`` bounds the rows of either leg; the first by (level, load, row) stay.
        """
        first = self._legs(nodes, limit)
        med = self.mediator[first.end]
        direct = first.take(~med)
        into = first.take(med)
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
        """Single edges at the walkers' nodes, both directions; ``end`` is the other end."""
        n = len(self.nodes)
        order = np.argsort(nodes, kind="stable")
        count = np.bincount(nodes, minlength=n)
        start = np.cumsum(count) - count
        parts = []
        for here, there, forward in ((self.src, self.dst, 1), (self.dst, self.src, 0)):
            rows = np.flatnonzero(count[here])
            if forward == 0:
                rows = rows[self.src[rows] != self.dst[rows]]
            times = count[here[rows]]
            total = np.cumsum(times)
            if len(total) and total[-1] > limit:
                stop = int(np.searchsorted(total, limit, side="right"))
                rows, times, total = rows[:stop], times[:stop], total[:stop]
            row = np.repeat(rows, times)
            slot = np.arange(len(row)) - np.repeat(total - times, times)
            walker = order[start[here[row]] + slot]
            code = 2 * self.pred[row].astype(np.int64) + forward
            none = np.full(len(row), -1, np.int32)
            parts.append(
                Steps(
                    walker.astype(np.int64),
                    code,
                    none,
                    there[row],
                    self._rows[row].astype(np.int64),
                    none.astype(np.int64),
                )
            )
        return _concatenate(*parts)


def legs_of(code: int, base: int) -> tuple[int, ...]:
    """A hop's code as one or two legs."""
    return (code,) if code < base else (code // base - 1, code % base)


def _concatenate(*parts: Steps) -> Steps:
    return Steps(*(np.concatenate([getattr(p, f) for p in parts]) for f in Steps.__slots__))
