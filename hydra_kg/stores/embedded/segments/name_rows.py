"""The names of one load, written as arrays and read by number (by popularity), folded form and node."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from hydra_kg.errors import StoreCorruptError, StoreError
from hydra_kg.stores.embedded.segments.array_folder import REPAIR, FolderWriter
from hydra_kg.stores.embedded.segments.format import NAMELESS, Segment, first_names
from hydra_kg.stores.embedded.segments.name_full_text import NameFullText
from hydra_kg.stores.embedded.segments.record_heap import TextHeap
from hydra_kg.text.folding import fold_all
from hydra_kg.text.quoting import sql_name
from hydra_kg.text.text_column import TextColumn

Rows = npt.NDArray[np.int64]
"""Numbers of names, from 0."""

Name = tuple[int, int, str]
"""Local node, kind, text."""

Query = Callable[..., list[tuple[Any, ...]]]
"""From a statement and its parameters to all rows."""

STARTING: Final = 50_000
"""Most names with a given beginning that are looked at."""

_LAST: Final = "\U0010ffff"
_BATCH: Final = 5_000
_MARKS: Final = 500  # parameters of one statement
_NUMBER_BITS: Final = np.uint64(32)
_NUMBERS: Final = np.uint64((1 << 32) - 1)
_REMEDY: Final = "Please report this as a bug."


class SegmentNames(Protocol):
    """The names of one load. Methods raise StoreCorruptError for damaged files."""

    @property
    def count(self) -> int:
        """Return the number of names."""

    def read(self, rows: Rows) -> list[Name]:
        """Return names by their numbers, in that order."""

    def columns(self, rows: Rows) -> tuple[npt.NDArray[np.integer[Any]], TextColumn]:
        """Return the local nodes and the texts of names by their numbers."""

    def find(self, folds: Sequence[str]) -> dict[str, Rows]:
        """Return the names whose folded form is one of ``folds``, by that, ascending."""

    def of_nodes(self, local: Iterable[int]) -> Rows:
        """Return the names of local nodes."""

    def starting(self, begin: str, limit: int) -> Rows:
        """Return at most ``limit`` names whose folded form begins with ``begin``, ascending."""


def names_of(segment: Segment, query: Query | None = None) -> SegmentNames:
    """Return the names of a load. Up to format version 4 they are a table of SQLite, which ``query`` reads if given."""
    return _ArrayNames(segment) if segment.label_off is None else _TableNames(segment, query)


def make_keys(folds: Sequence[str], first: int) -> npt.NDArray[np.uint64]:
    """Return the keys of names numbered from ``first``: the CRC-32 of the folded name, then the number, in 32 bits."""
    sums = np.fromiter(map(zlib.crc32, "\n".join(folds).encode().split(b"\n")), np.uint64, len(folds))
    return sums << _NUMBER_BITS | np.arange(first, first + len(folds), dtype=np.uint64)


def numbers_in(keys: npt.NDArray[np.uint64]) -> Rows:
    """Return the numbers of names in keys."""
    return (keys & _NUMBERS).astype(np.int64)


class _ArrayNames:
    def __init__(self, segment: Segment) -> None:
        self._s = segment
        self.count = len(segment.name_node)

    def read(self, rows: Rows) -> list[Name]:
        s, nodes = self._s, self._s.name_node[rows]
        if len(rows) and not 0 <= int(nodes.min()) <= int(nodes.max()) < len(s.nodes):
            raise StoreCorruptError(f"{s.path} has names of nodes that it lacks.", remedy=REPAIR)
        return list(zip(nodes.tolist(), s.name_kind[rows].tolist(), s.name_texts(rows), strict=True))

    def columns(self, rows: Rows) -> tuple[npt.NDArray[np.integer[Any]], TextColumn]:
        s = self._s
        ends = s.name_off[rows + 1].astype(np.int64)
        return s.name_node[rows], TextColumn.cut(s.name_heap, s.name_off[rows].astype(np.int64), ends)

    def find(self, folds: Sequence[str]) -> dict[str, Rows]:
        wanted = list(dict.fromkeys(folds))
        low = make_keys(wanted, 0) & ~_NUMBERS if wanted else np.empty(0, np.uint64)
        keys = self._s.name_key
        starts, ends = np.searchsorted(keys, low), np.searchsorted(keys, low | _NUMBERS, "right")
        found = {}
        for text, start, end in compress(zip(wanted, starts.tolist(), ends.tolist(), strict=True), ends > starts):
            rows = numbers_in(keys[start:end])
            if len(rows := self._filter(rows[rows < self.count], text.__eq__)):
                found[text] = rows
        return found

    def of_nodes(self, local: Iterable[int]) -> Rows:
        s = self._s
        rows = first_names(s, np.fromiter(local, np.int64))
        parts = [rows := rows[rows >= 0]]
        while len(rows):  # the names of a node have successive numbers
            following = rows[rows + 1 < self.count] + 1
            rows = following[s.name_node[following] == s.name_node[following - 1]]
            parts.append(rows)
        return np.sort(np.concatenate(parts))

    def starting(self, begin: str, limit: int) -> Rows:
        if not any(map(str.isalnum, begin)):  # full text has no word for it
            return self.find([begin]).get(begin, np.empty(0, np.int64))[:limit]
        *words, last = begin.split()
        match = " AND ".join([*map(sql_name, words), f"{sql_name(last)} *"])
        sql = "SELECT rowid - 1 FROM name_full WHERE name_full MATCH ? ORDER BY rowid LIMIT ?"
        parts, left = [np.empty(0, np.int64)], limit
        with _reading(self._s), closing(self._s.open_texts()) as db:
            found = db.execute(sql, (match, STARTING))
            while left > 0 and (page := found.fetchmany(_BATCH)):
                rows = self._filter(np.array(page, np.int64)[:, 0], lambda fold: fold.startswith(begin))
                parts.append(rows[:left])
                left -= len(rows)
        return np.concatenate(parts)

    def _filter(self, rows: Rows, fits: Callable[[str], bool]) -> Rows:
        return rows[[fits(fold) for fold in fold_all(self._s.name_texts(rows))]]


class _TableNames:
    """Names in SQLite, numbered from 1 there."""

    def __init__(self, segment: Segment, query: Query | None = None) -> None:
        self._s = segment
        self._query = query or self._query_once

    @cached_property
    def count(self) -> int:
        """Return the number of names."""
        return int(self._query("SELECT coalesce(max(id), 0) FROM name")[0][0])

    def read(self, rows: Rows) -> list[Name]:
        sql = "SELECT id - 1, node, kind, text FROM name WHERE id IN (SELECT value + 1 FROM json_each(?))"
        found = {row: (node, kind, text) for row, node, kind, text in self._query(sql, (_json(rows),))}
        if any(row not in found for row in rows.tolist()):
            raise StoreCorruptError(f"{self._s.texts} does not number its names one by one.", remedy=REPAIR)
        return [found[row] for row in rows.tolist()]

    def columns(self, rows: Rows) -> tuple[npt.NDArray[np.integer[Any]], TextColumn]:
        found = self.read(rows)
        return np.array([node for node, _, _ in found], np.int64), TextColumn.encode(text for _, _, text in found)

    def find(self, folds: Sequence[str]) -> dict[str, Rows]:
        found: dict[str, list[int]] = {}
        for i in range(0, len(folds), _MARKS):
            part = folds[i : i + _MARKS]
            sql = f"SELECT fold, id - 1 FROM name WHERE fold IN ({','.join('?' * len(part))})"
            for text, row in self._query(sql, part):
                found.setdefault(text, []).append(row)
        return {text: np.sort(np.array(rows, np.int64)) for text, rows in found.items()}

    def of_nodes(self, local: Iterable[int]) -> Rows:
        sql = "SELECT id - 1 FROM name WHERE node IN (SELECT value FROM json_each(?)) ORDER BY id"
        return self._rows(sql, (_json(np.fromiter(local, np.int64)),))

    def starting(self, begin: str, limit: int) -> Rows:
        sql = "SELECT id - 1 FROM (SELECT id FROM name WHERE fold >= ? AND fold < ? LIMIT ?) ORDER BY id LIMIT ?"
        return self._rows(sql, (begin, begin + _LAST, _BATCH, limit))

    def _rows(self, sql: str, parameters: Sequence[Any]) -> Rows:
        return np.array([row for (row,) in self._query(sql, parameters)], np.int64)

    def _query_once(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with _reading(self._s), closing(self._s.open_texts()) as db:
            return db.execute(sql, parameters).fetchall()


@contextmanager
def _reading(segment: Segment) -> Iterator[None]:
    """Raise StoreCorruptError for errors of SQLite."""
    try:
        yield
    except sqlite3.DatabaseError as e:
        raise StoreCorruptError(f"{segment.texts} could not be read: {e}.", remedy=REPAIR) from e


def _json(numbers: Rows) -> str:
    return f"[{','.join(map(str, numbers.tolist()))}]"


class NameWriter:
    """Writes ``name_node``, ``name_kind``, ``name_off``, ``names.bin``, ``name_key`` and ``name_first``.

    Takes 8 bytes of memory for each name, and 4 for each of the ``nodes``.
    """

    def __init__(self, out: FolderWriter, scratch: Path, *, nodes: int) -> None:
        self._out = out
        self._node, self._kind = out.array("name_node", np.int32), out.array("name_kind", np.uint8)
        self._texts = TextHeap(out, "name")
        self._keys: list[npt.NDArray[np.uint64]] = []
        self._first = np.full(nodes, NAMELESS, np.uint32)
        self._last = -1
        self._full = NameFullText(scratch / "texts-full.sqlite")
        self.count = 0

    def add(self, local: npt.NDArray[np.int64], kinds: npt.NDArray[np.int8], texts: Sequence[str]) -> None:
        """Add names in the order of popularity, those of each node in that of kind and text."""
        if not len(local):
            return
        start, end = self.count, self.count + len(local)
        heads = np.flatnonzero(np.diff(local, prepend=self._last))
        begun = local[heads]
        if end > NAMELESS or (self._first[begun] != NAMELESS).any() or len(np.unique(begun)) < len(begun):
            raise StoreError("The names of a node are apart, or there are too many.", remedy=_REMEDY)
        self._first[begun] = start + heads
        self._last = int(local[-1])
        folds = fold_all(texts)
        self._full.add(start + 1, folds)
        self._keys.append(make_keys(folds, start))
        self._node.append(local)
        self._kind.append(kinds)
        self._texts.add(np.arange(start, end), texts)
        self.count = end

    def finish(self) -> NameFullText:
        """Finish the arrays. Return the full text, which has to be moved where it belongs."""
        for array in (self._node, self._kind):
            self._out.done(array)
        self._texts.finish(self.count)
        keys = np.concatenate([np.empty(0, np.uint64), *self._keys])
        self._keys.clear()
        keys.sort()
        self._out.save("name_key", keys)
        self._out.save("name_first", self._first)
        return self._full

    def close(self) -> None:
        """Stop, and remove scratch. Safe to call twice."""
        self._full.close()
