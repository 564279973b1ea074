"""Shared by all reads of one pinned generation: the graph view, SQLite connections, keys and display names."""

from __future__ import annotations

import itertools
import os
import sqlite3
import threading
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from cachetools import LRUCache

from hydra_kg import ids
from hydra_kg.domain import Entity, Ids, Index, Source
from hydra_kg.errors import StoreCorruptError, StoreError
from hydra_kg.stores.embedded.catalog.generation import PinnedGeneration
from hydra_kg.stores.embedded.reads.snapshot_graph import GraphView, LoadView, Positions, extents, make_view, spans
from hydra_kg.stores.embedded.segments.format import REPAIR
from hydra_kg.stores.embedded.segments.name_rows import SegmentNames, names_of
from hydra_kg.text.typos import Vocabulary
from hydra_kg.util.number_columns import match

BATCH = 30_000  # numbers handed to one SQL statement as JSON


RECENT = 10_000  # entities remembered from one question to the next: some 20 MB


class EntityCache:
    """LRU cache of entities by class. Safe for threads."""

    def __init__(self, most: int = RECENT) -> None:
        self._lock = threading.Lock()
        self._cache: LRUCache[int, Entity] = LRUCache(most)

    def known(self, classes: Iterable[int]) -> dict[int, Entity]:
        """Return the entities of those classes that are in the cache."""
        with self._lock:
            return {c: self._cache[c] for c in classes if c in self._cache}

    def keep(self, made: Mapping[int, Entity]) -> None:
        """Add entities, and remove those that were requested longest ago."""
        with self._lock:
            self._cache.update(made)


class SegmentReader:
    """Read access to the SQLite texts of pinned loads, safe for threads and after a fork.

    Each connection is used by one thread at a time.
    """

    def __init__(self, pinned: PinnedGeneration) -> None:
        self.pinned = pinned
        self.view: GraphView = make_view(pinned)
        self._lock = threading.Lock()
        self._free: dict[int, list[sqlite3.Connection]] = {}
        self._inherited: list[sqlite3.Connection] = []
        self._process = os.getpid()
        self._closed = False
        self.recent = EntityCache()
        self._file_ends: dict[int, tuple[list[str], list[int]]] = {}

    @cached_property
    def named(self) -> tuple[LoadView, ...]:
        """Return the loads that have names."""
        return tuple(load for load in self.view.loads if load.segment.manifest["counts"].get("names", 1))

    def query(self, load: int, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query on the texts of one load. Raise StoreCorruptError for a damaged file."""
        db = self._take(load)
        try:
            return db.execute(sql, parameters).fetchall()
        except sqlite3.DatabaseError as e:
            path = self.pinned.loads[load][1].texts
            raise StoreCorruptError(f"{path} could not be read: {e}.", remedy=REPAIR) from e
        finally:
            self._give(load, db)

    def names(self, load: LoadView) -> SegmentNames:
        """Return the names of a load, read by the connections of this reader."""
        return names_of(load.segment, partial(self.query, load.index))

    def query_many(self, load: int, sql: str, numbers: Iterable[int]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query for many integers.

        ``sql`` has one ``?``, which becomes a JSON list to be read by ``json_each``.
        """
        todo = list(numbers)
        for i in range(0, len(todo), BATCH):
            yield from self.query(load, sql, (f"[{','.join(map(str, todo[i : i + BATCH]))}]",))

    @cached_property
    def vocabularies(self) -> tuple[Vocabulary, ...]:
        """Return the words of each load's names, for typos. They are read at the first typo.

        Words with three digits are left out, since they are further from a word of letters than typos are.
        """
        sql = "SELECT token, count FROM vocabulary WHERE token NOT GLOB '*[0-9]*[0-9]*[0-9]*' ORDER BY token"
        return tuple(Vocabulary(self.query(load.index, sql)) for load in self.named)

    def keys(self, wanted: Ids) -> list[str]:
        """Return the texts of ids, "" for a hashed id that no load knows (a damaged store)."""
        out: list[str | None] = [None] * len(wanted)
        for n in np.flatnonzero((wanted & 7) != ids.HASHED).tolist():
            out[n] = ids.decode(int(wanted[n]))
        missing = [n for n, key in enumerate(out) if key is None]
        for load in self.view.loads:
            if not missing:
                break
            for n, text in zip(missing, load.segment.terms(wanted[missing]), strict=True):
                out[n] = text
            missing = [n for n in missing if out[n] is None]
        return [key or "" for key in out]

    def members(self, classes: Index) -> tuple[Ids, Positions]:
        """Return the ids of the members of classes, and for each member the place of its class.

        The members of one class are in ascending order.
        """
        g = self.pinned.generation
        at = match(g.multi, classes)
        several = np.flatnonzero(at >= 0)
        pos, owner = spans(*extents(g.multi_off, at[several]))
        alone = np.flatnonzero(at < 0)
        ids = np.concatenate([g.multi_id[pos], g.classes[classes[alone]]])
        return ids, np.concatenate([several[owner], alone])

    def labels(self, classes: Index) -> list[str]:
        """Return the display name of each class, or "" if none of its members has one.

        Names in the representative's name space come first, then those of the first load by name, then of the least id.
        """
        if len(self.view.loads) == 1 and self.view.loads[0].map.to_local is None:
            return self.view.loads[0].segment.labels(classes)  # each class is the node of its number
        best: list[tuple[bool, int, int, str] | None] = [None] * len(classes)
        own = [self.space(i) for i in self.view.classes[classes].tolist()]
        for load in self.view.loads:
            local, owner = load.locals_of(classes)
            node = load.segment.nodes[local].tolist()
            for at, n, text in zip(owner.tolist(), node, load.segment.labels(local), strict=True):
                if text:
                    rank = (self.space(n) != own[at], load.index, n, text)
                    current = best[at]
                    if current is None or rank < current:
                        best[at] = rank
        return [b[3] if b else "" for b in best]

    def source(self, load: int, number: int = 0) -> Source:
        """Return one source of a load, by its number."""
        return self.pinned.loads[load][0].sources[number]

    def file(self, load: int, number: int = 0) -> str:
        """Return the file that a source of a load was read from, as its manifest names it."""
        manifest = self.pinned.loads[load][1].manifest
        sources = manifest.get("sources") or [{}]
        return str(sources[min(number, len(sources) - 1)].get("file") or manifest.get("file") or "")

    def place(self, load: int, line: int, *, file: str) -> tuple[str, int]:
        """Return the file and line for a line number that counts through all files of a load.

        If ``file`` is not the name for all these files together, both are returned unchanged.
        """
        names, ends = self._files(load)
        if file != str(self.pinned.loads[load][1].manifest.get("file")) or not 0 < line <= (ends or [0])[-1]:
            return file, line
        at = bisect_left(ends, line)
        return names[at], line - (ends[at - 1] if at else 0)

    def _files(self, load: int) -> tuple[list[str], list[int]]:
        """Return the files that a load was made from, and the number of the last line of each.

        The line numbers are empty for loads that do not number the lines of all their files as one.
        """
        if load not in self._file_ends:
            manifest = self.pinned.loads[load][1].manifest
            details = manifest.get("load", {}).get("details", {})
            files = details.get("files") or []
            names = [str(f["name"]) for f in files]
            one = " + ".join(names) == manifest.get("file") and details.get("format") != "documents"
            apart = len(files) > 1 and not one and all("lines" in f for f in files)
            ends = list(itertools.accumulate(int(f["lines"]) for f in files)) if apart else []
            self._file_ends[load] = (names, ends)
        return self._file_ends[load]

    def close(self) -> None:
        """Close all connections. A question in progress in another thread closes its own when it is done."""
        with self._lock:
            self._closed = True
            if self._process == os.getpid():
                for db in (db for free in self._free.values() for db in free):
                    db.close()
            self._free.clear()

    def _take(self, load: int) -> sqlite3.Connection:
        """Return a free connection to a load's texts, or open one. :meth:`_give` returns it."""
        with self._lock:
            if self._closed:
                raise StoreError("This snapshot was closed.", remedy="Take a new one from the store.")
            if self._process != os.getpid():  # what came through a fork is left alone, as SQLite wants it
                self._inherited += [db for free in self._free.values() for db in free]
                self._free, self._process = {}, os.getpid()
            free = self._free.setdefault(load, [])
            if free:
                return free.pop()
        segment = self.pinned.loads[load][1]
        try:
            db = segment.open_texts()
        except sqlite3.OperationalError as e:
            raise StoreCorruptError(f"{segment.texts} could not be opened: {e}.", remedy=REPAIR) from e
        db.execute("PRAGMA mmap_size = 2147418112")
        return db

    def _give(self, load: int, db: sqlite3.Connection) -> None:
        """Keep a connection for the next reader, or close it if the snapshot is closed."""
        with self._lock:
            if not self._closed:
                self._free.setdefault(load, []).append(db)
                return
        db.close()

    @staticmethod
    def space(number: int) -> int:
        """Return the name space of an id; mids and g-ids count as one."""
        tag = number & 7
        return ids.MID if tag == ids.GID else tag
