"""Two cuts as one: the columns of both under one numbering of classes, each class once."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Index, Subgraph

D = TypeVar("D", bound=np.generic)


def united(graph: Subgraph, other: Subgraph, *, farther: int = 0) -> Subgraph:
    """``graph`` with the facts of ``other``, none of which it has, ``farther`` hops away from its topics.

    A class that both reached has the lesser depth; facts come after those of the same level. ``dropped`` and
    ``skipped_hubs`` are the larger of the two, for both may count the same.
    """
    nodes, src, dst = other.nodes, other.src, other.dst
    if graph.ids is not other.ids:  # cuts of one snapshot number their classes alike
        reached = other.nodes
        graph = _numbered(graph, other.ids[reached], other.mediator[reached], other.degree[reached])
        place = np.empty(len(other.ids), np.int32)  # only the touched pages are ever mapped
        place[reached] = np.searchsorted(graph.ids, other.ids[reached])
        nodes, src, dst = place[reached], place[src], place[dst]
    level = other.level + np.int8(farther)
    nodes, depth = _reached(graph, nodes, other.depth + np.int8(farther))
    merge = _Merge(graph.level, level)
    return replace(
        graph,
        nodes=nodes,
        depth=depth,
        src=merge(graph.src, src),
        dst=merge(graph.dst, dst),
        pred=merge(graph.pred, other.pred),
        segment=merge(graph.segment, other.segment),
        row=merge(graph.row, other.row),
        level=merge(graph.level, level),
        truncated=graph.truncated or other.truncated,
        dropped=max(graph.dropped, other.dropped),
        skipped_hubs=max(graph.skipped_hubs, other.skipped_hubs),
    )


class _Merge:
    """Columns of two cuts as one, level by level, those of the first before those of the second."""

    def __init__(self, one: npt.NDArray[np.int8], other: npt.NDArray[np.int8]) -> None:
        levels = np.arange(max((int(column[-1]) + 1 for column in (one, other) if len(column)), default=0))
        self._ends = [np.searchsorted(column, levels, "right").tolist() for column in (one, other)]

    def __call__(self, one: npt.NDArray[D], other: npt.NDArray[D]) -> npt.NDArray[D]:
        """Both, each sorted by level."""
        parts, start = [], (0, 0)
        for ends in zip(*self._ends, strict=True):
            parts += [one[start[0] : ends[0]], other[start[1] : ends[1]]]
            start = ends
        return np.concatenate(parts) if parts else one


def touching(graph: Subgraph, other: Subgraph, classes: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """bool (m,): edges of ``graph`` with an end among ``classes``, bool (N,) over the ids of ``other``."""
    among = classes
    if graph.ids is not other.ids:
        at, there = _find(other.ids, graph.ids[graph.nodes])
        among = np.zeros(len(graph.ids), np.bool_)
        among[graph.nodes[there]] = classes[at[there]]
    return np.asarray(among[graph.src] | among[graph.dst], np.bool_)


def depths(graph: Subgraph, classes: Collection[int]) -> dict[int, int]:
    """Depths of those of the classes that the cut reached."""
    wanted = np.array(sorted(classes), np.int64)
    at, there = _find(graph.ids, wanted)
    rows = np.flatnonzero(np.isin(graph.nodes, at[there]))
    return dict(zip(graph.ids[graph.nodes[rows]].tolist(), graph.depth[rows].tolist(), strict=True))


def _find(ids: Ids, wanted: Ids) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
    """Where each of ``wanted`` stands or would stand in ascending ``ids``, and whether it does."""
    at = np.searchsorted(ids, wanted)
    there = at < len(ids)
    there[there] = ids[at[there]] == wanted[there]
    return at, there


def _numbered(graph: Subgraph, ids: Ids, mediator: npt.NDArray[np.bool_], degree: Index) -> Subgraph:
    """The same with places in ``ids`` for these classes; the graph itself if all have theirs."""
    at, there = _find(graph.ids, ids)
    if there.all():
        return graph
    new = np.flatnonzero(~there)
    new = new[np.argsort(ids[new])]
    at = at[new]
    moved = (np.arange(len(graph.ids)) + np.searchsorted(ids[new], graph.ids)).astype(np.int32)
    return replace(
        graph,
        ids=np.insert(graph.ids, at, ids[new]),
        mediator=np.insert(graph.mediator, at, mediator[new]),
        degree=np.insert(graph.degree, at, degree[new]),
        nodes=moved[graph.nodes],
        src=moved[graph.src],
        dst=moved[graph.dst],
        topics=moved[graph.topics],
    )


def _reached(graph: Subgraph, nodes: Index, depth: npt.NDArray[np.int8]) -> tuple[Index, npt.NDArray[np.int8]]:
    """``nodes`` and ``depth`` of the graph with these, which come after others of their depth if they are nearer."""
    held = np.zeros(len(graph.ids), np.int8)
    held[graph.nodes] = graph.depth + np.int8(1)
    nearer = (held[nodes] == 0) | (depth + np.int8(1) < held[nodes])
    if not nearer.any():
        return graph.nodes, graph.depth
    nodes, depth = nodes[nearer], depth[nearer]
    stay = np.zeros(len(graph.ids), np.bool_)
    stay[nodes] = True
    stay = ~stay[graph.nodes]
    at = np.searchsorted(graph.depth[stay], depth, "right")
    return np.insert(graph.nodes[stay], at, nodes), np.insert(graph.depth[stay], at, depth)
