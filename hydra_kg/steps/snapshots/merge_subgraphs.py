"""Merge several cuts: the columns of all under one numbering of classes, each class once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Index, Subgraph
from hydra_kg.util.number_columns import put_at, take_rows

D = TypeVar("D", bound=np.generic)


class Union:
    """Incremental union of cuts. ``graph`` has its classes; :meth:`whole` joins the edges once."""

    def __init__(self, graph: Subgraph) -> None:
        self.graph = graph
        self._parts = [graph]
        self._depth_of = _depth_column(graph)

    def add(self, other: Subgraph, *, farther: int = 0) -> None:
        """Add facts ``farther`` hops away. Depths are minima, ``dropped`` and ``skipped_hubs`` maxima."""
        nodes, src, dst = other.nodes, other.src, other.dst
        if self.graph.ids is not other.ids:  # cuts of one snapshot number their classes alike
            reached = other.nodes
            self._number(other.ids[reached], other.mediator[reached], other.degree[reached])
            place = np.empty(len(other.ids), np.int32)  # only the touched pages are ever mapped
            place[reached] = np.searchsorted(self.graph.ids, other.ids[reached])
            nodes, src, dst = place[reached], place[src], place[dst]
        self._reach(nodes, other.depth + np.int8(farther))
        self._parts.append(replace(other, src=src, dst=dst, level=other.level + np.int8(farther)))
        graph = self.graph
        self.graph = replace(
            graph,
            truncated=graph.truncated or other.truncated,
            dropped=max(graph.dropped, other.dropped),
            skipped_hubs=max(graph.skipped_hubs, other.skipped_hubs),
        )

    def whole(self) -> Subgraph:
        """Return the merged subgraph."""
        if len(self._parts) == 1:
            return self.graph
        parts, merge = self._parts, _Merge([p.level for p in self._parts])
        return replace(
            self.graph,
            src=merge([p.src for p in parts]),
            dst=merge([p.dst for p in parts]),
            pred=merge([p.pred for p in parts]),
            segment=merge([p.segment for p in parts]),
            row=merge([p.row for p in parts]),
            level=merge([p.level for p in parts]),
        )

    def depths(self, classes: Collection[int]) -> dict[int, int]:
        """Return the depths of those of the classes that were reached."""
        wanted = np.array(sorted(classes), np.int64)
        at, there = _find(self.graph.ids, wanted)
        wanted, depth = wanted[there], self._depth_of[at[there]] - 1
        return dict(zip(wanted[depth >= 0].tolist(), depth[depth >= 0].tolist(), strict=True))

    def _number(self, ids: Ids, mediator: npt.NDArray[np.bool_], degree: Index) -> None:
        """Add places in ``graph.ids`` for classes that have none."""
        graph = self.graph
        at, there = _find(graph.ids, ids)
        if there.all():
            return
        new = np.flatnonzero(~there)
        new = new[np.argsort(ids[new])]
        at = at[new]
        moved = (np.arange(len(graph.ids)) + np.searchsorted(ids[new], graph.ids)).astype(np.int32)
        self.graph = replace(
            graph,
            ids=np.insert(graph.ids, at, ids[new]),
            mediator=np.insert(graph.mediator, at, mediator[new]),
            degree=np.insert(graph.degree, at, degree[new]),
            nodes=moved[graph.nodes],
            topics=moved[graph.topics],
        )
        self._parts = [replace(p, src=moved[p.src], dst=moved[p.dst]) for p in self._parts]
        self._depth_of = _depth_column(self.graph)

    def _reach(self, nodes: Index, depth: npt.NDArray[np.int8]) -> None:
        """Add classes that are new or nearer than before, each after others of its depth."""
        graph, depth_of = self.graph, self._depth_of
        before = take_rows(depth_of, nodes)
        nearer = np.flatnonzero((before == 0) | (depth + np.int8(1) < before))
        if not len(nearer):
            return
        nodes, depth = take_rows(nodes, nearer), take_rows(depth, nearer)
        old_nodes, old_depth = graph.nodes, graph.depth
        if take_rows(before, nearer).any():
            stay = np.ones(len(graph.ids), np.bool_)
            stay[nodes] = False
            remaining = np.flatnonzero(take_rows(stay, old_nodes))
            old_nodes, old_depth = take_rows(old_nodes, remaining), take_rows(old_depth, remaining)
        put_at(depth_of, nodes, depth + np.int8(1))
        merge = _Merge([old_depth, depth])
        self.graph = replace(graph, nodes=merge([old_nodes, nodes]), depth=merge([old_depth, depth]))


class _Merge:
    """Columns of several cuts as one, level by level, those of the first cut before those of the second, and so on."""

    def __init__(self, levels: Sequence[npt.NDArray[np.int8]]) -> None:
        known = np.arange(max((int(column[-1]) + 1 for column in levels if len(column)), default=0), dtype=np.int8)
        self._ends = [[0, *np.searchsorted(column, known, "right").tolist()] for column in levels]
        self._levels = len(known)

    def __call__(self, columns: Sequence[npt.NDArray[D]]) -> npt.NDArray[D]:
        """Return all columns, each sorted by level."""
        both = list(zip(columns, self._ends, strict=True))
        return np.concatenate(
            [column[:0] for column in columns]
            + [column[ends[n] : ends[n + 1]] for n in range(self._levels) for column, ends in both]
        )


def touching(graph: Subgraph, other: Subgraph, classes: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return which edges of ``graph`` have an end among ``classes``, bool (m,).

    ``classes`` is bool (N,) over the ids of ``other``.
    """
    among = classes
    if graph.ids is not other.ids:
        at, there = _find(other.ids, graph.ids[graph.nodes])
        among = np.zeros(len(graph.ids), np.bool_)
        among[graph.nodes[there]] = classes[at[there]]
    return np.asarray(take_rows(among, graph.src) | take_rows(among, graph.dst), np.bool_)


def _depth_column(graph: Subgraph) -> npt.NDArray[np.int8]:
    """Return the depth of each class, and one more value, int8 (N,); 0 where the cut did not reach the class."""
    depth_of = np.zeros(len(graph.ids), np.int8)
    put_at(depth_of, graph.nodes, graph.depth + np.int8(1))
    return depth_of


def _find(ids: Ids, wanted: Ids) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
    """Return where each of ``wanted`` is, or would be, in ascending ``ids``, and whether it is there."""
    at = np.searchsorted(ids, wanted)
    there = at < len(ids)
    there[there] = ids[at[there]] == wanted[there]
    return at, there
