"""The snapshot port of the embedded store, over the modules of this folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import (
    Entity,
    Fact,
    Ids,
    Index,
    Links,
    LoadInfo,
    NameHit,
    Passage,
    Predicates,
    Subgraph,
    Values,
    Witnesses,
)
from hydra_kg.events import Listener, ignore
from hydra_kg.ports import CodedValues, CutOptions, Reach, Things
from hydra_kg.stores.embedded.catalog.generation import PinnedGeneration
from hydra_kg.stores.embedded.reads import cuts, links, provenance
from hydra_kg.stores.embedded.reads.entities import entities
from hydra_kg.stores.embedded.reads.links import relation_pairs
from hydra_kg.stores.embedded.reads.names import LikeNames, find, lookup, starting
from hydra_kg.stores.embedded.reads.passages import passages
from hydra_kg.stores.embedded.reads.pinned_generation import SegmentReader
from hydra_kg.stores.embedded.reads.thing_columns import key_texts, things
from hydra_kg.text.text_column import TextColumn
from hydra_kg.util.number_columns import sort_distinct


class EmbeddedSnapshot:
    """Implements :class:`hydra_kg.ports.Snapshot` for a pinned generation that its creator has locked.

    Safe for threads, but not in a forked child. ``close`` it at the end.
    """

    def __init__(self, pinned: PinnedGeneration) -> None:
        self.pinned = pinned
        self._reader = SegmentReader(pinned)
        self._like = LikeNames(self._reader)

    def manifest(self) -> tuple[LoadInfo, ...]:
        """Return the ready loads, sorted by name. The ``segment`` of a fact handle is a place in this list."""
        return tuple(info for info, _ in self.pinned.loads)

    def predicates(self) -> Predicates:
        return self.pinned.generation.predicates

    def find(self, names: Sequence[str], *, limit: int = 50, reach: Reach = "exact") -> list[list[NameHit]]:
        return find(self._reader, names, limit=limit, reach=reach)

    def like(self, names: Sequence[str], *, limit: int, listener: Listener = ignore) -> list[list[NameHit]]:
        """Return names with similar spelling: see :class:`hydra_kg.ports.LikeNaming`."""
        return self._like.find(names, limit=limit, listener=listener)

    def starting(self, text: str, *, limit: int) -> list[str]:
        """Return names by their beginnings: see :class:`hydra_kg.ports.NameCompleting`."""
        return starting(self._reader, text, limit=limit)

    def lookup(self, keys: Sequence[str]) -> list[int | None]:
        return lookup(self._reader, keys)

    def entities(self, nodes: Sequence[int]) -> list[Entity]:
        """Return classes as users see them. A class that no load knows has no members."""
        return entities(self._reader, nodes)

    def cut(self, topics: Sequence[int], *, depth: int, **options: Unpack[CutOptions]) -> Subgraph:
        known, start = len(self.predicates().ids), np.asarray(topics, np.int64)
        return cuts.cut(self._reader.view, start, depth=depth, predicates=known, **options)

    def values(self, nodes: Sequence[int]) -> Values:
        return provenance.values(self._reader, np.asarray(nodes, np.int64))

    def between(self, left: Ids, right: Ids) -> Links:
        return links.between(self._reader.view, np.asarray(left, np.int64), np.asarray(right, np.int64))

    def facts(self, segment: npt.NDArray[np.int16], row: Ids) -> list[Fact]:
        return provenance.facts(self._reader, np.asarray(segment, np.int16), np.asarray(row, np.int64))

    def witnesses(self, segment: npt.NDArray[np.int16], row: Ids) -> Witnesses:
        """Return which sources state facts: see :class:`hydra_kg.ports.Witnessing`."""
        return provenance.witnesses(self._reader, np.asarray(segment, np.int16), np.asarray(row, np.int64))

    def load_predicates(self, load: int) -> tuple[Index, Ids]:
        """Return the predicates of a load with their counts: see :class:`hydra_kg.ports.LoadScanning`."""
        view = self._reader.view.loads[load]
        return view.map.to_pred.astype(np.int32), np.asarray(view.segment.pcount, np.int64)

    def load_classes(self, load: int) -> Ids:
        """Return the classes of a load: see :class:`hydra_kg.ports.LoadScanning`."""
        view = self._reader.view.loads[load]
        local = np.arange(len(view.segment.nodes), dtype=np.int32)
        return sort_distinct(self._reader.view.classes[view.classes_of(local)])

    def coded_values(self, nodes: Ids) -> CodedValues:
        """Return values without their texts: see :class:`hydra_kg.ports.LoadScanning`."""
        return provenance.coded_values(self._reader, nodes)

    def texts(self, ids: Ids) -> TextColumn:
        """Return keys as a column: see :class:`hydra_kg.ports.LoadScanning`."""
        return key_texts(self._reader, ids)

    def things(self, nodes: Ids) -> Things:
        """Return classes as columns: see :class:`hydra_kg.ports.LoadScanning`."""
        return things(self._reader, nodes)

    def passages(self, nodes: Sequence[int], *, query: str = "", limit: int = 20) -> list[Passage]:
        return passages(self._reader, nodes, query=query, limit=limit)

    def all_classes(self, *, after: int | None = None, limit: int = 10_000) -> Ids:
        known = self._reader.view.classes
        low = 0 if after is None else int(np.searchsorted(known, after, "right"))
        return np.array(known[low : low + limit], np.int64)

    def relation_pairs(self) -> npt.NDArray[np.int32]:
        return relation_pairs(self.pinned)

    def simple_paths(self, start: int, end: int, *, max_hops: int = 3) -> list[Ids]:
        """Return all simple paths of at most three edges between two classes: see :func:`links.simple_paths`."""
        return links.simple_paths(self._reader.view, start, end, max_hops=max_hops)

    def close(self) -> None:
        """Close connections. Safe to call twice."""
        self._reader.close()
