"""Fetches the facts around nodes in columns: all of them, or predicate by predicate in the order of a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Index
from hydra_kg.stores.neo4j.connection.queries import MOST_TYPES, SHARED, SPAN, Row, type_name
from hydra_kg.stores.neo4j.reads.pinned_loads import GraphReader
from hydra_kg.util.fast_dataclass import dataclass

T = TypeVar("T")

CHUNK: Final = 100_000  # facts that one query may look at
NODES: Final = 20_000  # nodes that one query starts from
AT_ONCE: Final = 2  # queries of one cut
DENSE: Final = 200
"""Facts of a node from which it pays to name a few predicates in the text of a query.

At a node with many facts, the server then reads only those predicates. At nodes with few facts it costs more (0.5
instead of 0.2 s for 650,000 facts), and the query is planned again.
"""

SPARE: Final = 1.3  # facts fetched for one that is wanted, where how many there are is an estimate
LEAST: Final = 10_000


@dataclass(slots=True)
class EdgeColumns:
    """Facts as columns. ``near`` and ``far`` are classes; ``forward`` means that near is the subject."""

    near: Ids
    far: Ids
    pred: Index
    handle: Ids
    segment: npt.NDArray[np.int16]
    forward: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.near)

    def take(self, keep: npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> EdgeColumns:
        """Return only some facts, by mask or position."""
        return EdgeColumns(*(getattr(self, c)[keep] for c in EdgeColumns.__slots__))

    @property
    def row(self) -> Ids:
        """Return the rows of the facts in their loads."""
        return self.handle % SPAN


def concatenate_edges(parts: Sequence[EdgeColumns]) -> EdgeColumns:
    """Return several columns of facts joined, one after the other."""
    kinds = (np.int64, np.int64, np.int32, np.int64, np.int16, np.bool_)
    return EdgeColumns(
        *(
            np.concatenate([np.empty(0, kind), *(getattr(p, c) for p in parts)])
            for c, kind in zip(EdgeColumns.__slots__, kinds, strict=True)
        )
    )


def around(reader: GraphReader, classes: Ids, *, predicates: Sequence[int] | None = None) -> EdgeColumns:
    """Return all facts of the ready loads at some classes, or only those with some predicates.

    Facts between two of the classes are returned twice.
    """
    names = None if predicates is None else [type_name(reader.predicates.keys[p]) for p in predicates]

    def ask(ids: list[int], dense: bool) -> EdgeColumns:
        literal: list[str] = []
        if names is not None and dense and len(names) < MOST_TYPES:
            literal = [*names, SHARED]
        return columns_of(reader, reader.db.read("expand", {"ids": ids, "types": names}, types=literal))[0]

    return concatenate_edges(list(_pieces(reader, classes, ask)))


def mediators(reader: GraphReader, classes: Ids) -> tuple[Ids, Ids]:
    """Return the classes of mediators next to some classes, ascending, and those that may be next to others."""
    also = reader.fused_mediators.tolist()
    more = {"span": SPAN, "loads": reader.numbers, "also": also}
    found, chains = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for rows in _pieces(reader, classes, lambda ids, _: reader.db.read("mediators", {"ids": ids, **more})):
        for ids, parts, chained in rows:
            reader.classes.learn(ids, parts)
            found.append(np.asarray(ids, np.int64))
            chains.append(np.asarray(chained, np.int64))
    near, chain = (np.unique(reader.classes.of(np.concatenate(x))) for x in (found, chains))
    near = near[reader.classes.mediator(near)]
    return near, near[np.isin(near, chain) | reader.classes.fused(near)]


def fetch_by_predicate(
    reader: GraphReader, classes: Ids, order: Index, wanted: Callable[[], int]
) -> Iterator[EdgeColumns]:
    """Yield all facts at some classes, some predicates at a time.

    ``order`` (P,) is the place of each predicate. Batches are as large as seems needed for what is still ``wanted``:
    first by the share of all facts that these classes can have, then by what was returned so far.
    """
    todo = np.argsort(order)
    most = reader.predicates.counts[todo].astype(np.float64)
    share = min(1.0, float(reader.classes.degree(classes).sum()) / max(1.0, 2 * float(most.sum())))
    place = 0
    while place < len(todo):
        before = wanted()
        stop = place + max(1, int(np.searchsorted(np.cumsum(most[place:]) * share, SPARE * before + LEAST, "right")))
        yield around(reader, classes, predicates=todo[place:stop].tolist())
        came = (before - wanted()) / max(1.0, float(most[place:stop].sum()))
        share, place = min(1.0, max(came, share / 4)), stop


def _pieces(reader: GraphReader, classes: Ids, ask: Callable[[list[int], bool], T]) -> Iterator[T]:
    """Yield the results of a query for the members of classes, in pieces of about CHUNK facts, two at a time.

    ``ask`` gets the members of a piece, and whether they are dense nodes.
    """
    members = reader.classes.members(classes)
    degree = reader.classes.degree(reader.classes.of(members))
    dense = degree > DENSE
    todo = []
    for many in (False, True):
        ids = members[dense == many]
        ends = np.cumsum(degree[dense == many])
        start = 0
        while start < len(ids):
            base = int(ends[start - 1]) if start else 0
            stop = min(max(start + 1, int(np.searchsorted(ends, base + CHUNK, "right"))), start + NODES)
            todo.append((ids[start:stop].tolist(), many))
            start = stop
    if len(todo) < AT_ONCE:
        yield from (ask(*piece) for piece in todo)
        return
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(lambda piece: ask(*piece), todo)


def columns_of(reader: GraphReader, rows: Sequence[Row]) -> tuple[EdgeColumns, Ids]:
    """Return rows of ``expand.cypher`` and similar queries as columns, and start nodes. Only ready loads count."""
    types: Mapping[str, int] = reader.types
    # A type that nobody knows is of a load that is being written or was dropped.
    known = [(types[row[0]], row) for row in rows if row[0] in types]
    sizes = [len(row[2]) for _, row in known]
    near, far, handle = (
        np.fromiter(chain.from_iterable(row[c] for _, row in known), np.int64, sum(sizes)) for c in (2, 3, 4)
    )
    pred = np.repeat(np.array([p for p, _ in known], np.int32), sizes)
    forward = np.repeat(np.array([row[1] for _, row in known], np.bool_), sizes)
    segment = reader.segment_of(handle)
    edges = EdgeColumns(reader.classes.of(near), reader.classes.of(far), pred, handle, segment, forward)
    return edges if (segment >= 0).all() else edges.take(segment >= 0), near
