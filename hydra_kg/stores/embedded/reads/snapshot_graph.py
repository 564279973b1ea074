"""The graph of one snapshot as arrays: the adjacency of every load, with one numbering of classes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Index
from hydra_kg.stores.embedded.catalog.generation import LoadMap, PinnedGeneration
from hydra_kg.stores.embedded.segments.array_folder import Unsigned
from hydra_kg.stores.embedded.segments.format import Segment
from hydra_kg.stores.embedded.segments.merged_adjacency import MergedAdjacency
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg.util.number_columns import match, put_at, take_rows

Segments = npt.NDArray[np.int16]
Positions = npt.NDArray[np.int64]
States = npt.NDArray[np.uint8]

CHUNK = 1 << 21
"""Edges processed at once. This limits the scratch memory of this module to about 100 MB."""


class LinkWalk(Protocol):
    """The interface to an adjacency for graph traversal, with classes as nodes: of one load or of merged ones."""

    def expand(self, classes: Index, *, forward: bool) -> tuple[Positions, Positions, Index]:
        """Return the links that have one of ``classes`` as subject (``forward``) or as object.

        The columns are: position in the arrays of that direction, position in ``classes``, class of the other end.
        """

    def around(self, classes: Index) -> Iterator[tuple[Positions, Index, Index]]:
        """Yield the columns of ``expand`` forward, then backward, with the class itself in the second column."""

    def columns(self, pos: Positions, *, forward: bool) -> tuple[Index, Segments, Positions]:
        """Return columns for positions from ``expand``: predicate, place of the load in the manifest, fact row."""


@dataclass(frozen=True, slots=True, eq=False)
class LoadView:
    """One load of a snapshot, with nodes numbered as classes. ``index`` is its place in the manifest."""

    index: int
    segment: Segment
    map: LoadMap

    def locals_of(self, classes: Index) -> tuple[Index, Positions]:
        """Return all local nodes of classes, and for each the position of its class in ``classes``."""
        return locals_of(self.map, classes)

    def classes_of(self, local: Index) -> Index:
        """Return the classes of local nodes."""
        return local if self.map.to_class is None else take_rows(self.map.to_class, local)

    def expand(self, classes: Index, *, forward: bool) -> tuple[Positions, Positions, Index]:
        local, own = self.locals_of(classes)
        pos, count, other = self._walk(local, forward=forward)
        return pos, np.repeat(own, count), other

    def around(self, classes: Index) -> Iterator[tuple[Positions, Index, Index]]:
        local, own = self.locals_of(classes)
        for forward in (True, False):
            pos, count, other = self._walk(local, forward=forward)
            yield pos, np.repeat(classes[own], count), other

    def _walk(self, local: Index, *, forward: bool) -> tuple[Positions, Positions, Index]:
        s = self.segment
        off, end = (s.foff, s.fdst) if forward else (s.roff, s.rsrc)
        pos, count = _reach(off, local)
        return pos, count, self.classes_of(take_rows(end, pos))

    def columns(self, pos: Positions, *, forward: bool) -> tuple[Index, Segments, Positions]:
        here = np.broadcast_to(np.int16(self.index), len(pos))
        if forward:
            return self._pred(self.segment.fpred, pos), here, pos
        return self._pred(self.segment.rpred, pos), here, take_rows(self.segment.rfact, pos).astype(np.int64)

    def _pred(self, column: Unsigned, pos: Positions) -> Index:
        return take_rows(self.map.to_pred, take_rows(column, pos))


@dataclass(frozen=True, slots=True, eq=False)
class MergedView:
    """The links of merged loads.

    ``place`` (int16) is the place of each merged load, -1 for a dropped one. ``whole`` means that none was dropped.
    """

    merged: MergedAdjacency
    map: LoadMap
    place: Segments
    whole: bool

    def expand(self, classes: Index, *, forward: bool) -> tuple[Positions, Positions, Index]:
        return self._walk(*locals_of(self.map, classes), forward=forward)

    def around(self, classes: Index) -> Iterator[tuple[Positions, Index, Index]]:
        local, own = locals_of(self.map, classes)
        for forward in (True, False):
            pos, owner, other = self._walk(local, own, forward=forward)
            yield pos, classes[owner], other

    def _walk(self, local: Index, own: Positions, *, forward: bool) -> tuple[Positions, Positions, Index]:
        m = self.merged
        off, end, load = (m.foff, m.fdst, m.fload) if forward else (m.roff, m.rsrc, m.rload)
        pos, count = _reach(off, local)
        owner = np.repeat(own, count)
        if not self.whole:
            there = self.place[load[pos]] >= 0
            pos, owner = pos[there], owner[there]
        other = end[pos]
        return pos, owner, other if self.map.to_class is None else self.map.to_class[other]

    def columns(self, pos: Positions, *, forward: bool) -> tuple[Index, Segments, Positions]:
        m = self.merged
        pred, load, row = (m.fpred, m.fload, m.frow) if forward else (m.rpred, m.rload, m.rrow)
        return self.map.to_pred[pred[pos]], self.place[load[pos]], row[pos].astype(np.int64)


def locals_of(numbers: LoadMap, classes: Index) -> tuple[Index, Positions]:
    """Return all local nodes of classes, and for each the position of its class in ``classes``."""
    to_local, extra = numbers.to_local, numbers.extra_class
    if to_local is None:
        return classes, np.arange(len(classes))
    local = to_local[classes]
    own = np.flatnonzero(local >= 0)
    local = local[own]
    if len(extra) and len(classes):
        low = np.searchsorted(extra, classes, "left")
        some = np.flatnonzero(extra[np.minimum(low, len(extra) - 1)] == classes)
        if len(some):
            pos, owner = spans(low[some], np.searchsorted(extra, classes[some], "right") - low[some])
            local, own = np.concatenate((local, numbers.extra_local[pos])), np.concatenate((own, some[owner]))
    return local, own


def _reach(off: Unsigned, local: Index) -> tuple[Positions, Positions]:
    """Return the positions of all facts of local nodes in one direction, and the number of facts of each node."""
    low, count = extents(off, local)
    return ranges(low, count), count


@dataclass(frozen=True, eq=False)
class GraphView:
    """The graph of all ready loads.

    Attributes:
        classes: int64 (N,), ids, ascending.
        mediator, degree: (N,).
        loads: all loads.
        linked: the loads that have links, with merged ones as one.
        member_id, member_class: members of classes that have several, ascending by id.
    """

    classes: Ids
    mediator: npt.NDArray[np.bool_]
    degree: Index
    loads: tuple[LoadView, ...]
    linked: tuple[LinkWalk, ...]
    member_id: Ids
    member_class: Index
    _free: list[States] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def classes_of(self, ids: Sequence[int] | Ids) -> Index:
        """Return the class of each id as int32 (n,), -1 for an id that no ready load has."""
        wanted = np.asarray(ids, np.int64)
        out = match(self.classes, wanted).astype(np.int32)
        if len(self.member_id) and (out < 0).any():
            missing = np.flatnonzero(out < 0)
            at = match(self.member_id, wanted[missing])
            out[missing] = np.where(at >= 0, self.member_class[at], -1)
        return out

    @contextmanager
    def scratch(self) -> Iterator[States]:
        """Yield one byte per class, all zero. The caller resets them to zero; after an error they are thrown away."""
        with self._lock:
            states = self._free.pop() if self._free else None
        if states is None:
            states = np.zeros(len(self.classes), np.uint8)
        yield states
        with self._lock:
            self._free.append(states)

    def chunks(self, classes: Index) -> Iterator[Index]:
        """Yield the classes in pieces of about CHUNK edges."""
        if len(classes) == 0:
            return
        ends = np.cumsum(self.degree[classes], dtype=np.int64)
        start = 0
        while start < len(classes):
            base = int(ends[start - 1]) if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, base + CHUNK, "right")))
            yield classes[start:stop]
            start = stop


def make_view(pinned: PinnedGeneration) -> GraphView:
    """Return the view of a pinned generation.

    Maps and arrays stay memory-mapped; only the members of classes are numbered again.
    """
    g = pinned.generation
    both = zip(pinned.loads, g.maps, strict=True)
    loads = tuple(LoadView(i, segment, numbers) for i, ((_, segment), numbers) in enumerate(both))
    linked: list[LinkWalk] = []
    if g.merged is not None and g.merged_map is not None:
        at = {segment.id: i for i, (_, segment) in enumerate(pinned.loads)}
        place = np.array([at.get(load, -1) for load in g.merged.loads], np.int16)
        linked.append(MergedView(g.merged, g.merged_map, place, bool((place >= 0).all())))
    merged = set(g.merged.loads) if g.merged is not None else set()
    linked += [load for load in loads if len(load.segment.fdst) and load.segment.id not in merged]
    order = np.argsort(g.multi_id)
    members = np.repeat(g.multi, extents(g.multi_off, np.arange(len(g.multi)))[1])
    return GraphView(
        g.classes, g.mediator.view(np.bool_), g.degree, loads, tuple(linked), g.multi_id[order], members[order]
    )


def extents(off: npt.NDArray[Any], rows: npt.NDArray[np.integer[Any]]) -> tuple[Positions, Positions]:
    """Return where the entries of rows begin and their counts. Raises IndexError if offsets do not ascend."""
    low = off[rows].astype(np.int64)
    high = off[rows + 1].astype(np.int64)
    if len(low) and (bool((high < low).any()) or int(high.max()) > int(off[-1])):
        raise IndexError("offsets do not ascend")
    return low, high - low


def ranges(low: Positions, count: Positions) -> Positions:
    """Return all positions of the ranges ``low[i] : low[i] + count[i]``, one range after the other."""
    pos = np.repeat(low - np.cumsum(count) + count, count)
    pos += np.arange(len(pos))
    return pos


def spans(low: Positions, count: Positions) -> tuple[Positions, Positions]:
    """Return the same as ``ranges``, and for each position its i."""
    return ranges(low, count), np.repeat(np.arange(len(low)), count)


def distinct(x: Index, size: int) -> Index:
    """Return the distinct entries, ascending, by counting or by sorting, whichever is faster."""
    if len(x) * 8 >= size:
        seen = np.zeros(size, np.bool_)
        put_at(seen, x, True)
        return np.flatnonzero(seen).astype(np.int32)
    x = np.sort(x)
    keep = np.ones(len(x), np.bool_)
    np.not_equal(x[1:], x[:-1], out=keep[1:])
    return x[keep]
