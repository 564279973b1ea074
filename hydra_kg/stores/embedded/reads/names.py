"""Finds names in an embedded store that equal a mention or are spelt like it. The caller decides which is meant."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hydra_kg import ids
from hydra_kg.domain import Ids, NameHit
from hydra_kg.errors import StoreError
from hydra_kg.events import Listener, ignore
from hydra_kg.index.shard import AT_ONCE, PROPOSED, Shard, compare_spelling, name_vectors
from hydra_kg.ports import Reach
from hydra_kg.stores.common.passages import POPULAR, How, find_names, rank_hits
from hydra_kg.stores.embedded.reads import name_index
from hydra_kg.stores.embedded.reads.pinned_generation import SegmentReader
from hydra_kg.stores.embedded.reads.snapshot_graph import LoadView
from hydra_kg.text.folding import fold, fold_all
from hydra_kg.text.plain_text import storable
from hydra_kg.text.quoting import fts5_words
from hydra_kg.text.typos import Vocabulary

Row = tuple[int, int, int, str]
"""Load, local node, kind, text."""

SpeltRow = tuple[float, int, int, int, str]
"""Negated similarity, load, place among the load's names, local node, text."""


def find(reader: SegmentReader, names: Sequence[str], *, limit: int, reach: Reach) -> list[list[NameHit]]:
    """See :meth:`hydra_kg.ports.Snapshot.find`."""
    return find_names(_SegmentNames(reader), names, limit=limit, reach=reach)


def lookup(reader: SegmentReader, keys: Sequence[str]) -> list[int | None]:
    """See :meth:`hydra_kg.ports.Snapshot.lookup`."""
    found = reader.view.classes_of(ids.encode_many(keys))
    return [int(reader.view.classes[c]) if c >= 0 else None for c in found.tolist()]


def starting(reader: SegmentReader, text: str, *, limit: int) -> list[str]:
    """See :class:`hydra_kg.ports.NameCompleting`: of a common beginning only some names are looked at."""
    begin = fold(storable(text))
    if not begin:
        return []
    found = []
    for load in reader.named:
        names = reader.names(load)
        rows = names.starting(begin, limit)
        found += [(row, load.index, text) for row, (*_, text) in zip(rows.tolist(), names.read(rows), strict=True)]
    return list(dict.fromkeys(name for _, _, name in sorted(found)))[:limit]


class _SegmentNames:
    """The names of all loads."""

    def __init__(self, reader: SegmentReader) -> None:
        self._reader = reader

    def exact(self, folds: Sequence[str]) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        for load in self._reader.named:
            for text, rows in self._reader.names(load).find(folds).items():
                found.setdefault(text, []).extend(_read(self._reader, load, rows))
        return found

    def containing(self, words: Sequence[Sequence[str]], limit: int) -> list[Row]:
        match = " AND ".join(f"({fts5_words(alternatives)})" for alternatives in words)
        sql = "SELECT rowid - 1 FROM name_full WHERE name_full MATCH ? ORDER BY rowid LIMIT ?"
        found: list[Row] = []
        for load in self._reader.named:
            rows = self._reader.query(load.index, sql, (match, POPULAR * limit))
            found += _read(self._reader, load, np.array(rows, np.int64).reshape(-1))
        return found

    def hits(self, rows: Sequence[Row], limit: int, how: How | None) -> list[NameHit]:
        view = self._reader.view
        best: dict[int, tuple[int, str]] = {}
        for index, load in enumerate(view.loads):
            own = [row for row in rows if row[0] == index]
            if not own:
                continue
            classes = load.classes_of(np.array([row[1] for row in own], np.int32))
            for c, (_, _, kind, text) in zip(classes.tolist(), own, strict=True):
                if c not in best or (kind, text) < best[c]:
                    best[c] = (kind, text)
        degree = {int(view.classes[c]): int(view.degree[c]) for c in best}
        return rank_hits({int(view.classes[c]): name for c, name in best.items()}, degree, limit, how)

    def vocabularies(self) -> Iterable[Vocabulary]:
        return self._reader.vocabularies


def _read(reader: SegmentReader, load: LoadView, rows: npt.NDArray[np.int64]) -> list[Row]:
    return [(load.index, *name) for name in reader.names(load).read(rows)]


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
        rows: list[list[SpeltRow]] = [[] for _ in folds]
        for load in self._reader.named:
            start = 0
            for shard in self._shards(load, listener):
                found, _ = shard.search(vectors, PROPOSED)
                for at, places in enumerate(found):
                    rows[at] += self._rows(load, folds[at], places[places >= 0] + start)
                start += len(shard)
        return [self._hits(sorted(own), limit) for own in rows]

    def _rows(self, load: LoadView, text: str, places: Ids) -> list[SpeltRow]:
        found = self._reader.names(load).read(places)
        alike = compare_spelling(text, fold_all([name for *_, name in found])).tolist()
        return [
            (-round(a, 6), load.index, i, node, name)
            for a, i, (node, _, name) in zip(alike, places.tolist(), found, strict=True)
        ]

    def _hits(self, rows: Sequence[SpeltRow], limit: int) -> list[NameHit]:
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
        if self._reader.names(load).count > AT_ONCE:
            return None
        with suppress(OSError, StoreError, sqlite3.Error):
            name_index.make(store, info, load.segment, listener=listener)
        if (shards := name_index.open_index(store, info, load.segment)) is not None:
            return shards
        try:
            return list(name_index.make_shards(info, load.segment, listener=ignore))
        except (StoreError, sqlite3.Error):  # its texts are damaged: what needs them says so
            return None
