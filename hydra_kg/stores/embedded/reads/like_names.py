"""Finds names that are spelt like a mention, with the index of names. The caller decides which one is meant."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from hydra_kg.domain import Ids, NameHit
from hydra_kg.errors import StoreError
from hydra_kg.events import Listener, ignore
from hydra_kg.index.name_vectors import compare_spelling, name_vectors
from hydra_kg.index.shard import AT_ONCE, PROPOSED, Shard
from hydra_kg.stores.embedded.reads import name_index
from hydra_kg.stores.embedded.reads.pinned_generation import SegmentReader
from hydra_kg.stores.embedded.reads.snapshot_graph import LoadView
from hydra_kg.stores.embedded.segments.name_rows import names_of
from hydra_kg.text.folding import fold, fold_all
from hydra_kg.text.plain_text import storable

Row = tuple[float, int, int, int, str]
"""Negated similarity, load, place among the load's names, local node, text."""


class LikeNames:
    """The indexes of a snapshot's loads, opened on demand and remade if stale or damaged."""

    def __init__(self, reader: SegmentReader) -> None:
        self._reader = reader
        self._lock = threading.Lock()
        self._open: dict[str, list[Shard]] = {}

    def find(self, names: Sequence[str], *, limit: int, listener: Listener) -> list[list[NameHit]]:
        """See :class:`hydra_kg.ports.LikeNaming`."""
        folds = [fold(storable(name)) for name in names]
        vectors = name_vectors(folds)
        rows: list[list[Row]] = [[] for _ in folds]
        for load in self._reader.named:
            start = 0
            for shard in self._shards(load, listener):
                found, _ = shard.search(vectors, PROPOSED)
                for at, places in enumerate(found):
                    rows[at] += self._rows(load, folds[at], places[places >= 0] + start)
                start += len(shard)
        return [self._hits(sorted(own), limit) for own in rows]

    def _rows(self, load: LoadView, text: str, places: Ids) -> list[Row]:
        found = names_of(load.segment).read(places)
        alike = compare_spelling(text, fold_all([name for *_, name in found])).tolist()
        return [
            (-round(a, 6), load.index, i, node, name)
            for a, i, (node, _, name) in zip(alike, places.tolist(), found, strict=True)
        ]

    def _hits(self, rows: Sequence[Row], limit: int) -> list[NameHit]:
        view = self._reader.view
        best: dict[int, str] = {}
        for _, load, _, node, text in rows:
            c = int(view.loads[load].classes_of(np.array([node], np.int32))[0])
            best.setdefault(c, text)
        return [
            NameHit(int(view.classes[c]), text, "like", int(view.degree[c])) for c, text in list(best.items())[:limit]
        ]

    def _shards(self, load: LoadView, listener: Listener) -> list[Shard]:
        with self._lock:
            if load.segment.id not in self._open:
                shards = self._opened(load, listener)
                if shards is None:
                    return []
                self._open[load.segment.id] = shards
            return self._open[load.segment.id]

    def _opened(self, load: LoadView, listener: Listener) -> list[Shard] | None:
        store, info = Path(self._reader.pinned.path), self._reader.pinned.loads[load.index][0]
        shards = name_index.open_index(store, info, load.segment)
        if shards is not None:
            return shards
        if names_of(load.segment).count > AT_ONCE:
            return None
        with suppress(OSError, StoreError, sqlite3.Error):
            name_index.make(store, info, load.segment, listener=listener)
        if (shards := name_index.open_index(store, info, load.segment)) is not None:
            return shards
        try:
            return list(name_index.make_shards(info, load.segment, listener=ignore))
        except (StoreError, sqlite3.Error):  # its texts are damaged: what needs them says so
            return None
