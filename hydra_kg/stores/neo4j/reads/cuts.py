"""Subgraph detection (HydraRAG §4.2.1) on a server: level by level, counted per predicate if a budget may apply."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Floats, Hops, Ids, Index, Subgraph
from hydra_kg.ports import ServerCut
from hydra_kg.stores.common.cut_arguments import predicate_order
from hydra_kg.stores.neo4j.reads.adjacency_fetch import (
    EdgeColumns,
    around,
    columns_of,
    concatenate_edges,
    fetch_by_predicate,
    mediators,
)
from hydra_kg.stores.neo4j.reads.pinned_loads import GraphReader
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg.util.number_columns import match

UNCOUNTED: Final = 25_000  # facts over the budget (each counted at both ends) that are fetched rather than chosen from
NEVER: Final = np.iinfo(np.int64).max  # the wave of a class that was not expanded
QUERY: Final = {"pattern": "cut_pattern", "subgraph": "cut_subgraph", "spanning-tree": "cut_spanning_tree"}
NODES: Final = 20_000
"""Most nodes whose facts one query fetches."""

MOST: Final = 10_000
"""Most relationships of a node.

Nodes with more are left to the queries by level, because one of them could exceed a whole cut.
"""


def cut(
    reader: GraphReader,
    topics: Ids,
    *,
    depth: int,
    hops: Hops = "entity",
    rank: Floats | None = None,
    budget: int = 0,
    hub_cap: int = 0,
    way: ServerCut = "levels",
) -> Subgraph:
    """See :meth:`hydra_kg.ports.Snapshot.cut`. ``dropped`` is a lower bound; ``way``: of fetching."""
    order = predicate_order(rank, predicates=len(reader.predicates.ids), depth=depth)
    found, known = reader.classes_of(topics)
    start = np.unique(found[known])
    near = region(reader, start, depth=depth, way=way) if way != "levels" and depth and len(start) else None
    walk = _Walk(reader, collapse=hops == "entity", hub_cap=hub_cap, depth=depth, near=near)
    walk.reach(start, 0)
    front, levels, left, dropped = start, list[EdgeColumns](), budget if budget > 0 else None, 0
    for d in range(depth):
        if not len(front):
            break
        level, front, more = walk.level(front, d, left, order)
        if more:
            level = level.take(_first(level, order, left or 0))
        levels.append(level)
        dropped = more
        if dropped:
            break
        if left is not None:
            left -= len(level)
    return _assemble(walk, start, levels, dropped)


@dataclass(slots=True)
class _Walk:
    """The state of a cut: ``ids`` reached so far, ascending, with depth and the wave in which each was expanded."""

    reader: GraphReader
    collapse: bool
    hub_cap: int
    depth: int
    near: Region | None = None
    ids: Ids = field(default_factory=lambda: np.empty(0, np.int64))
    at: npt.NDArray[np.int8] = field(default_factory=lambda: np.empty(0, np.int8))
    wave: Ids = field(default_factory=lambda: np.empty(0, np.int64))
    waves: int = 0
    skipped: int = 0

    def level(self, front: Ids, d: int, left: int | None, order: Index) -> tuple[EdgeColumns, Ids, int]:
        """Return the edges of one level, the classes to expand in the next, and how many edges are over the budget.

        The budget is ``left``, and the number over it is a minimum. If it is not 0, the edges are only those that
        stay, and the rest of the level is unfinished.
        """
        runs, following, estimated = list[EdgeColumns](), list[Ids](), 0
        begun = self.waves, self.ids, self.at, self.wave, self.skipped
        first = front
        while len(front):
            estimated += int(self.reader.classes.degree(front).sum())
            if left is not None and estimated > left + UNCOUNTED:
                self.waves, self.ids, self.at, self.wave, self.skipped = begun
                return self._counted(first, d, left, order)
            self._expand(front)
            edges = self._fresh(self.near.around(self.reader, front) if self.near else around(self.reader, front))
            runs.append(edges)
            new = self._new(edges.far)
            front, later = self._sort(new, d)
            following.append(later)
        level = concatenate_edges(runs)
        return level, _union(following), max(0, len(level) - left) if left is not None else 0

    def _counted(self, front: Ids, d: int, left: int, order: Index) -> tuple[EdgeColumns, Ids, int]:
        """Return the same as ``level``, predicate by predicate in the budget's order until the budget is spent."""
        everything, chained = [front], front
        while len(front):
            self._expand(front)
            near = np.empty(0, np.int64)
            if self.collapse:
                near, may = mediators(self.reader, chained)
            front, _ = self._sort(self._new(near), d)
            chained = front[np.isin(front, may)] if len(front) else front
            everything.append(front)
        runs = list[EdgeColumns]()
        for edges in fetch_by_predicate(self.reader, _union(everything), order, lambda: left + 1 - _total(runs)):
            runs.append(self._fresh(edges))
            if _total(runs) > left:
                return self._in_order(concatenate_edges(runs)), front, _total(runs) - left
        level = self._in_order(concatenate_edges(runs))
        _, later = self._sort(self._new(level.far), d)
        reached = self.ids[(self.at == d + 1) & (self.wave == NEVER)]
        return level, reached[~self._hub(reached)] if self.hub_cap > 0 else _union([later, reached]), 0

    def _expand(self, front: Ids) -> None:
        self.wave = self.wave.copy()
        self.wave[np.searchsorted(self.ids, front)] = self.waves
        self.waves += 1

    def _fresh(self, edges: EdgeColumns) -> EdgeColumns:
        """Return each edge once, seen from the end that was expanded first.

        If both ends were expanded at once, it is seen from its subject.
        """
        near, far = self._wave_of(edges.near), self._wave_of(edges.far)
        return self._in_order(edges.take((near < far) | ((near == far) & edges.forward)))

    @staticmethod
    def _in_order(edges: EdgeColumns) -> EdgeColumns:
        """Return the edges by load and row. The server gives them as they were written, perhaps by predicate."""
        return edges.take(np.lexsort((edges.row, edges.segment)))

    def _new(self, classes: Ids) -> Ids:
        new = np.unique(classes)
        unseen: npt.NDArray[np.bool_] = self._wave_of(new, missing=-1) == -1
        return new[unseen]

    def _sort(self, new: Ids, d: int) -> tuple[Ids, Ids]:
        """Mark classes as reached. Return which to expand in this level, and which in the next."""
        inner = self.reader.classes.mediator(new) if self.collapse else np.zeros(len(new), np.bool_)
        self.reach(new, d + 1)
        if self.hub_cap > 0:
            hub = self._hub(new)
            # At the rim only a mediator would have been expanded, still in this level.
            self.skipped += int(hub.sum() if d + 1 < self.depth else (hub & inner).sum())
            new, inner = new[~hub], inner[~hub]
        return new[inner], new[~inner]

    def _hub(self, classes: Ids) -> npt.NDArray[np.bool_]:
        return self.reader.classes.degree(classes) > self.hub_cap

    def reach(self, new: Ids, depth: int) -> None:
        """Add classes that were not reached before."""
        ids = np.concatenate((self.ids, new))
        by_id = np.argsort(ids, kind="stable")
        self.ids = ids[by_id]
        self.at = np.concatenate((self.at, np.full(len(new), depth, np.int8)))[by_id]
        self.wave = np.concatenate((self.wave, np.full(len(new), NEVER)))[by_id]

    def _wave_of(self, classes: Ids, *, missing: int = NEVER) -> Ids:
        at = match(self.ids, classes)
        return np.where(at >= 0, self.wave[at], missing) if len(self.ids) else np.full(len(classes), missing)


def _first(level: EdgeColumns, order: Index, room: int) -> npt.NDArray[np.int64]:
    """Return the edges that stay, by (predicate order, neighbour, near end, near end is the subject, load, row)."""
    by = np.lexsort((level.row, level.segment, ~level.forward, level.near, level.far, order[level.pred]))
    return np.sort(by[:room])


def _total(runs: list[EdgeColumns]) -> int:
    return sum(map(len, runs))


def _union(parts: list[Ids]) -> Ids:
    return np.unique(np.concatenate([np.empty(0, np.int64), *parts]))


def _assemble(walk: _Walk, topics: Ids, levels: list[EdgeColumns], dropped: int) -> Subgraph:
    """Return the subgraph of the levels that were walked."""
    edges = concatenate_edges(levels)
    ids, depth = walk.ids, walk.at
    if dropped:
        ends = _union([topics, edges.near, edges.far])
        at = np.minimum(np.searchsorted(ids, ends), max(0, len(ids) - 1))
        deepest = len(levels)  # what the last level reached may not have been noted
        depth = np.where(ids[at] == ends, depth[at], deepest).astype(np.int8)
        ids = ends
    nearest = np.lexsort((ids, depth))
    src, dst = (np.where(edges.forward == ahead, edges.near, edges.far) for ahead in (True, False))
    return Subgraph(
        ids=ids,
        mediator=walk.reader.classes.mediator(ids),
        degree=np.minimum(walk.reader.classes.degree(ids), np.iinfo(np.int32).max).astype(np.int32),
        nodes=nearest.astype(np.int32),
        depth=depth[nearest],
        src=np.searchsorted(ids, src).astype(np.int32),
        dst=np.searchsorted(ids, dst).astype(np.int32),
        pred=edges.pred,
        segment=edges.segment,
        row=edges.row,
        level=np.repeat(np.arange(len(levels), dtype=np.int8), [len(x) for x in levels]),
        topics=np.searchsorted(ids, topics).astype(np.int32),
        truncated=dropped > 0,
        dropped=dropped,
        skipped_hubs=walk.skipped,
    )


@dataclass(frozen=True, slots=True)
class Region:
    """Facts around some nodes, fetched at once.

    ``classes`` are the classes that are complete in it, ascending, and ``edges`` are their facts.
    """

    classes: Ids
    edges: EdgeColumns

    def around(self, reader: GraphReader, classes: Ids) -> EdgeColumns:
        """Return the same as ``adjacency_fetch.around``; only classes that are not stored here are fetched."""
        here = np.isin(classes, self.classes)
        own = self.edges.take(np.isin(self.edges.near, classes[here]))
        return concatenate_edges([own, around(reader, classes[~here])]) if not here.all() else own


def region(reader: GraphReader, topics: Ids, *, depth: int, way: ServerCut) -> Region:
    """Fetch the facts within ``depth`` - 1 steps of topics with one query.

    Fused members and mediators are fetched by level. Raises StoreError if the server lacks the procedure.
    """
    given = {"ids": reader.classes.members(topics).tolist(), "depth": max(0, depth - 1), "nodes": NODES, "most": MOST}
    edges, nodes = columns_of(reader, reader.db.read(QUERY[way], given, depth=max(0, depth - 1)))
    members = np.unique(nodes)
    classes = np.unique(reader.classes.of(members))
    every = reader.classes.members(classes)
    missing = reader.classes.of(every[~np.isin(every, members)])
    return Region(classes[~np.isin(classes, missing)], edges)
