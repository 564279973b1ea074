"""Fetching the facts around nodes in columns: whole, or predicate by predicate in the order that a budget wants."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Index
from hydra_kg.stores.neo4j.queries import MOST_TYPES, SPAN, type_name
from hydra_kg.stores.neo4j.reading import Reader

CHUNK: Final = 100_000  # facts that one query may give
NODES: Final = 20_000  # nodes that one query starts from


@dataclass(slots=True)
class Edges:
    """Facts as columns; ``near`` and ``far`` are classes, ``forward`` says that near is the subject."""

    near: Ids
    far: Ids
    pred: Index
    handle: Ids
    segment: npt.NDArray[np.int16]
    forward: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.near)

    def take(self, keep: npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> Edges:
        """Only some, by mask or position."""
        return Edges(*(getattr(self, c)[keep] for c in Edges.__slots__))

    @property
    def row(self) -> Ids:
        """Rows of the facts in their loads."""
        return self.handle % SPAN


def joined(parts: Sequence[Edges]) -> Edges:
    """Several, one after the other."""
    kinds = (np.int64, np.int64, np.int32, np.int64, np.int16, np.bool_)
    return Edges(*(np.concatenate([np.empty(0, kind), *(getattr(p, c) for p in parts)])
                   for c, kind in zip(Edges.__slots__, kinds, strict=True)))  # fmt: skip


def around(reader: Reader, classes: Ids, *, types: Sequence[str] = ()) -> Edges:
    """All facts of the ready loads at some classes: those out of each, then those into each. A fact between two of
    the classes comes twice."""
    parts = [part for ids in pieces(reader, classes) for part in _fetch(reader, ids, types)]
    return joined(parts)


def pieces(reader: Reader, classes: Ids) -> Iterator[list[int]]:
    """The members of classes, so many at a time that a query gives about CHUNK facts."""
    members = reader.classes.members(classes)
    ends = np.cumsum(reader.classes.degree(reader.classes.of(members)))
    start = 0
    while start < len(members):
        base = int(ends[start - 1]) if start else 0
        stop = min(max(start + 1, int(np.searchsorted(ends, base + CHUNK, "right"))), start + NODES)
        yield members[start:stop].tolist()
        start = stop


def _fetch(reader: Reader, ids: list[int], types: Sequence[str]) -> Iterator[Edges]:
    literal = types if len(types) <= MOST_TYPES else ()
    parameters = {"ids": ids, "types": list(types) if types and not literal else None}
    for forward in (True, False):
        for name, *lists in reader.db.read("expand_out" if forward else "expand_in", parameters, types=literal):
            if (pred := reader.types.get(name)) is None:
                continue  # of a load that is being written or was dropped
            near, far, handle = (np.asarray(x, np.int64) for x in lists)
            segment = reader.segment_of(handle)
            ready = segment >= 0
            if not ready.all():
                near, far, handle, segment = near[ready], far[ready], handle[ready], segment[ready]
            yield Edges(reader.classes.of(near), reader.classes.of(far), np.full(len(near), pred, np.int32), handle,
                        segment, np.full(len(near), forward))  # fmt: skip


def survey(reader: Reader, classes: Ids) -> tuple[npt.NDArray[np.int64], Ids]:
    """How many facts there are at some classes by predicate, (P,), at most; and the mediators next to them, ascending.

    A fact between two of the classes counts twice; so do, once, facts of loads that are not ready.
    """
    counts = np.zeros(len(reader.predicates.ids), np.int64)
    found: list[int] = []
    for ids in pieces(reader, classes):
        for name, facts, mediators in reader.db.read("survey", {"ids": ids, "span": SPAN}):
            if (pred := reader.types.get(name)) is not None:
                counts[pred] += facts
            last = len(reader.segments) - 1
            found += [node for node, load in mediators if reader.segments[min(load, last)] >= 0]
    near = np.unique(reader.classes.of(np.array(found, np.int64)))
    return counts, near[reader.classes.mediator(near)]


def by_predicate(reader: Reader, classes: Ids, counts: npt.NDArray[np.int64], order: Index,
                 wanted: Callable[[], int]) -> Iterator[Edges]:  # fmt: skip
    """All facts at some classes, some predicates at a time, in an order: ``order`` (P,) is the place of each. Batches
    are as large as seems needed for what is still ``wanted``."""
    todo = sorted(np.flatnonzero(counts).tolist(), key=lambda p: order[p])
    while todo:
        size = max(2 * wanted(), CHUNK)  # most facts deep in a cut are counted from both ends
        batch, facts = [todo.pop(0)], 0
        while todo and facts + int(counts[batch[-1]]) <= size:
            facts += int(counts[batch[-1]])
            batch.append(todo.pop(0))
        yield around(reader, classes, types=[type_name(reader.predicates.keys[p]) for p in batch])
