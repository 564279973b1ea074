"""A cut seen as hops: mediators collapsed, edges walked in both directions, nodes renumbered densely."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Hops as HopMode
from hydra_kg.domain import Ids, Index, Subgraph
from hydra_kg.steps.graph.traversal import Legs, Rows, Steps, Walked, fact_order
from hydra_kg.util.number_columns import put_at, radix_argsort, take_rows

Codes = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class HopGraph:
    """The edges of a cut under local numbers.

    A *leg* is ``2 * predicate + forward``. The code of a direct hop is its leg; the code of a hop through a mediator is
    ``(leg_in + 1) * base + leg_out``, with ``base = 2 * predicates``.
    """

    def __init__(self, graph: Subgraph, *, predicates: int, hops: HopMode = "entity", max_level: int = 127) -> None:
        self.graph = graph
        self.base = 2 * predicates
        self.nodes = graph.nodes
        self.ids: Ids = take_rows(graph.ids, graph.nodes)
        self._place = np.empty(len(graph.ids), np.int32)  # only the touched pages are ever mapped
        put_at(self._place, graph.nodes, np.arange(len(graph.nodes), dtype=np.int32))
        self._rows = np.flatnonzero(graph.level <= max_level) if max_level < 127 else None
        ends = (graph.src, graph.dst)
        self._src, self._dst = ends if self._rows is None else (column[self._rows] for column in ends)
        collapse = hops == "entity"
        self.mediator = take_rows(graph.mediator, graph.nodes) if collapse else np.zeros(len(graph.nodes), np.bool_)
        self.topics: Index = self._place[graph.topics]
        self._around: dict[int, Steps] = {}

    def __len__(self) -> int:
        return len(self.nodes)

    def __contains__(self, node: int) -> bool:
        """Return True if a class id is inside the cut, like :meth:`local` for one id but without arrays."""
        where = int(self.graph.ids.searchsorted(node))
        if where == len(self.graph.ids) or self.graph.ids[where] != node:
            return False
        found = int(self._place[where])
        return 0 <= found < len(self.nodes) and bool(self.nodes[found] == where)

    def local(self, ids: Ids) -> Index:
        """Return the local numbers of class ids, -1 for those outside the cut."""
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
        """Return all hops as :meth:`walk` finds them, those of each kind by (level, load, row) of their facts."""
        found = self.walk(nodes, limit=limit, ordered=True)
        return found.take(np.arange(len(found)))

    def walk(
        self,
        nodes: Index,
        *,
        limit: int = 2_000_000,
        shut: Flags | None = None,
        passed: Index | None = None,
        toward: Index | None = None,
        ordered: bool = False,
    ) -> Walked:
        """Return all hops from ``nodes`` (one walker each; int32 (w,)), never back to where the walker is.

        Args:
            limit: The largest number of rows of either leg; the first by (level, load, row) stay.
            shut: Bool (n,), nodes that no hop may lead to.
            passed: Int32 (w, p), nodes to which each walker may not go back.
            toward: Int32, the only nodes that hops may lead to.
        """

        def lead(walker: Ids, end: Index) -> Flags:
            fits: Flags = end != take_rows(nodes, walker)
            if shut is not None:
                fits &= ~take_rows(shut, end)
            for place in () if passed is None else passed.T:
                fits &= take_rows(place, walker) != end
            return fits

        wanted, between = (None, None) if toward is None else self._leading(toward)
        first = self._legs(nodes, limit, between, ordered)
        through = take_rows(self.mediator, first.end)
        into = np.flatnonzero(through)
        direct = np.flatnonzero(~through & lead(first.walker, first.end))
        out = self._legs(take_rows(first.end, into), limit, wanted, ordered)
        on = np.flatnonzero(
            ~take_rows(self.mediator, out.end) & lead(take_rows(first.walker, take_rows(into, out.walker)), out.end)
        )
        back = take_rows(into, take_rows(out.walker, on))
        at = np.concatenate([direct, back])
        code = np.concatenate([first.code(direct), (first.code(back) + 1) * self.base + out.code(on)])
        end = np.concatenate([take_rows(first.end, direct), take_rows(out.end, on)])
        return Walked(take_rows(first.walker, at), code, end, first, at, out, on)

    def around(self, node: int) -> Steps:
        """Return all hops from one local node, remembered because several steps ask for those of the topics."""
        if node not in self._around:
            self._around[node] = self.expand(np.array([node], np.int32))
        return self._around[node]

    def into_mediators(self, node: int) -> Codes:
        """Return the distinct legs from one local node into mediators, int64, even where no hop goes on from there."""
        here = self.nodes[node : node + 1]
        legs = []
        for own, other, forward in ((self._src, self._dst, 1), (self._dst, self._src, 0)):
            rows = np.flatnonzero(own == here)
            rows = rows[self.mediator[self._place[other[rows]]]]
            edges = rows if self._rows is None else self._rows[rows]
            legs.append(2 * self.graph.pred[edges].astype(np.int64) + forward)
        return np.unique(np.concatenate(legs))

    def _legs(self, nodes: Index, limit: int, far: Flags | None, ordered: bool) -> Legs:
        """Return the single edges at the walkers' nodes, in both directions.

        ``end`` of an edge is its other end. ``far`` marks the nodes that it may be, None for any. At most ``limit``
        edges are read in each direction. They are in the order of :meth:`Walked.order` if ``ordered`` or if there are
        more.
        """
        if not len(nodes):
            return Legs(self.graph, *(np.zeros(0, np.int64),) * 2, nodes, 0)
        walkers, places, first, times_at = _by_node(nodes)
        at = self.nodes[places]
        here = np.zeros(len(self.graph.ids), np.bool_)
        here[at] = True
        start, count = np.empty(len(self.nodes), np.int64), np.empty(len(self.nodes), np.int64)
        start[places], count[places] = first, times_at
        walker, edge, end = [], [], []
        for own, other in ((self._src, self._dst), (self._dst, self._src)):
            rows = self._rows_at(own, here, places)
            if far is not None:
                rows = rows[take_rows(far, take_rows(other, rows))]
            near, beyond = take_rows(own, rows), take_rows(other, rows)
            if own is self._dst and len(fit := np.flatnonzero(near != beyond)) < len(rows):
                rows, near, beyond = rows[fit], near[fit], beyond[fit]
            edges = rows if self._rows is None else self._rows[rows]
            place = take_rows(self._place, near)
            times = take_rows(count, place)
            every = int(times.sum())
            if ordered or every > limit:
                order = np.argsort(fact_order(self.graph, edges), kind="stable")  # long runs are in order: it merges
                order = order[: np.searchsorted(np.cumsum(times[order]), limit, side="right")]
                edges, place, beyond, times = edges[order], place[order], beyond[order], times[order]
                every = int(times.sum())
            slot, beyond = take_rows(start, place), take_rows(self._place, beyond)
            if every > len(times):  # several walkers stand at one place
                slot = np.repeat(slot - (np.cumsum(times) - times), times) + np.arange(every)
                edges, beyond = np.repeat(edges, times), np.repeat(beyond, times)
            walker.append(take_rows(walkers, slot))
            edge.append(edges)
            end.append(beyond)
        return Legs(self.graph, np.concatenate(walker), np.concatenate(edge), np.concatenate(end), len(edge[0]))

    def _leading(self, toward: Index) -> tuple[Flags, Flags]:
        """Return two arrays, bool (N,): the classes ``toward``, and these with the mediators next to them."""
        wanted = np.zeros(len(self.graph.ids), np.bool_)
        wanted[self.nodes[toward]] = True
        between = wanted.copy()
        for own, other in ((self._src, self._dst), (self._dst, self._src)):
            adjacent = own[np.flatnonzero(take_rows(wanted, other))]
            between[adjacent[self.mediator[self._place[adjacent]]]] = True
        return wanted, between

    def _rows_at(self, own: Index, here: Flags, places: Index) -> Rows:
        """Return the rows, ascending, whose end in the column ``own`` is one of ``here``, bool (N,).

        ``places`` are the nodes of ``here``.
        """
        if self._near is None or not self._near[0][places].all():
            return np.flatnonzero(take_rows(here, own))
        _, begin, of_src, of_dst = self._near
        some = of_src if own is self._src else of_dst
        found = np.flatnonzero(take_rows(here, own[:begin]))
        return np.concatenate([found, some[np.flatnonzero(take_rows(here, take_rows(own, some)))]])

    @cached_property
    def _near(self) -> tuple[Flags, int, Rows, Rows] | None:
        """Return (nodes before the last level, its start, rows by source, by target), or None if mixed."""
        level = self.graph.level if self._rows is None else self.graph.level[self._rows]
        if not len(level) or (level[1:] < level[:-1]).any():
            return None
        depth, last = self.graph.depth, level[-1]
        near = (depth < last) | (self.mediator & (depth == last))
        there = np.zeros(len(self.graph.ids), np.bool_)
        put_at(there, self.nodes[near], True)
        begin = int(np.searchsorted(level, last))
        of_src, of_dst = (begin + np.flatnonzero(take_rows(there, c[begin:])) for c in (self._src, self._dst))
        return near, begin, of_src, of_dst


class Inside(Collection[int]):
    """Set view of a subgraph's class ids plus ``more``, without building a set."""

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


def _by_node(nodes: Index) -> tuple[Ids, Index, Ids, Ids]:
    """Return walkers sorted by node, the distinct nodes, and each one's first walker and count."""
    walkers = radix_argsort(nodes)
    at = nodes[walkers]
    new = np.ones(len(at), np.bool_)
    np.not_equal(at[1:], at[:-1], out=new[1:])
    first = np.flatnonzero(new)
    return walkers, at[first], first, np.diff(first, append=len(at))


def legs_of(code: int, base: int) -> tuple[int, ...]:
    """Return a hop's code as one or two legs."""
    return (code,) if code < base else (code // base - 1, code % base)


def reversed_code(code: int, base: int) -> int:
    """Return the code of the same hop walked the other way."""
    legs = [leg ^ 1 for leg in reversed(legs_of(code, base))]
    return legs[0] if len(legs) == 1 else (legs[0] + 1) * base + legs[1]
