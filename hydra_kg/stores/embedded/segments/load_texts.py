"""The texts of one load in one SQLite file: names for linking, descriptions and passages."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from operator import not_
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.errors import StoreError
from hydra_kg.ports import Stage
from hydra_kg.stores.embedded.segments import name_full_text
from hydra_kg.text.folding import fold_all
from hydra_kg.text.plain_text import storable
from hydra_kg.util.number_columns import match

KINDS: Final = {"name": 0, "alias": 1, "title": 2}
_SCHEMA: Final = f"""
CREATE TABLE name (id INTEGER PRIMARY KEY, node INTEGER NOT NULL, kind INTEGER NOT NULL, text TEXT NOT NULL,
                   other_fold TEXT, fold TEXT GENERATED ALWAYS AS (coalesce(other_fold, lower(text))) VIRTUAL);
CREATE TABLE description (node INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE passage (id INTEGER PRIMARY KEY, node INTEGER NOT NULL, title TEXT NOT NULL, url TEXT NOT NULL,
                      text TEXT NOT NULL, line INTEGER NOT NULL);
CREATE TABLE predicate (id INTEGER PRIMARY KEY, key TEXT NOT NULL, text TEXT NOT NULL, inverse TEXT NOT NULL);
{name_full_text.SCHEMA}
{name_full_text.VOCABULARY}
CREATE VIRTUAL TABLE passage_full USING fts5(title, text, content='passage', content_rowid='id',
                                             tokenize='porter unicode61 remove_diacritics 2');
"""
_RAW: Final = """
CREATE TABLE raw.name (fame INTEGER, node INTEGER, kind INTEGER, text TEXT, other_fold TEXT);
CREATE TABLE raw.description (node INTEGER, text TEXT);
"""
# Groups come out of one sort, in its order: popular nodes first (fame is the negative number of facts).
_NAMES: Final = """
INSERT INTO name (node, kind, text, other_fold)
    SELECT node, kind, text, other_fold FROM raw.name GROUP BY fame, node, kind, text ORDER BY fame, node, kind, text
"""
_INDEXES: Final = """
CREATE INDEX name_fold ON name (fold);
CREATE INDEX name_node ON name (node);
INSERT INTO passage_full (passage_full, rank) VALUES ('automerge', 0), ('hashsize', 67108864);
INSERT INTO passage_full (passage_full) VALUES ('rebuild');
INSERT INTO passage_full (passage_full) VALUES ('optimize');
CREATE INDEX passage_node ON passage (node);
"""


_BATCH: Final = 100_000
_RAW_NAME: Final = "INSERT INTO raw.name VALUES (?, ?, ?, ?, ?)"
_RANKED: Final = "INSERT INTO name (node, kind, text, other_fold) VALUES (?, ?, ?, ?)"

Names = tuple[Ids, Sequence[str], Sequence[str]]
"""Texts of nodes as columns: the node, the kind, the text."""

_Passage = tuple[int, str, str, str, int]


@runtime_checkable
class Ranking(Stage, Protocol):
    """Optional capability of a stage: names sorted by popularity, faster than SQLite sorts them."""

    def ranked_names(self, nodes: Ids, facts: Callable[[], npt.NDArray[np.int64]]) -> Iterator[Names]:
        """Yield names as :meth:`hydra_kg.ports.Stage.names` does, each once, most popular first.

        Nodes with most ``facts`` come first, then names are ordered by node, kind and text. The call of ``facts`` may
        wait for the counts of ``nodes``.
        """

    def labels(self) -> Iterator[tuple[Ids, Sequence[str]]]:
        """Return the same as :meth:`TextsWriter.labels`, without needing its file."""


class TextsWriter:
    """Writes ``texts.sqlite`` of a load. The file has no journal and is valid only once the manifest names it."""

    def __init__(self, path: Path, scratch: Path, *, nodes: Ids, facts: Callable[[], npt.NDArray[np.int64]]) -> None:
        self.nodes, self.facts = nodes, facts
        self.check = 0
        """Order-free sum over all rows: two loads with the same texts have the same."""
        self._raw = scratch / "texts-raw.sqlite"
        for old in (path, self._raw):
            old.unlink(missing_ok=True)
        self._named = 0
        self._full = name_full_text.NameFullText(scratch / "texts-full.sqlite")
        self._db = sqlite3.connect(path, isolation_level=None)
        try:
            self._set_up()
        except BaseException:
            self.close()
            raise

    def _set_up(self) -> None:
        """Set up the two files and their tables. One more thread helps with sorts that are larger than the cache."""
        for pragma in (
            "page_size = 4096",
            "journal_mode = OFF",
            "synchronous = OFF",
            "locking_mode = EXCLUSIVE",
            "cache_size = -200000",
            "threads = 1",
        ):
            self._db.execute(f"PRAGMA {pragma}")
        self._db.execute("ATTACH ? AS raw", (str(self._raw),))
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -50000"):
            self._db.execute(f"PRAGMA raw.{pragma}")
        self._db.executescript(f"BEGIN; {_SCHEMA} {_RAW}")

    def write(self, stage: Stage) -> dict[str, int]:
        """Write all texts of a stage. Return the numbers of names, descriptions and passages."""
        if isinstance(stage, Ranking):
            self._write_names(stage.ranked_names(self.nodes, self.facts), None)
        else:
            self._write_names(map(_columns, stage.names()), self.facts())
            self._db.execute(_NAMES)
            found = self._db.execute("SELECT fold FROM name ORDER BY id")
            while folds := found.fetchmany(_BATCH):
                self._add_to_full([fold for (fold,) in folds])
        # One description a node: the longest, the least text of those that are equally long.
        self._db.execute(
            "INSERT OR IGNORE INTO description SELECT node, text FROM raw.description"
            " ORDER BY node, length(text) DESC, text"
        )
        for passages in stage.passages():
            self._db.executemany(
                "INSERT INTO passage (node, title, url, text, line) VALUES (?, ?, ?, ?, ?)",
                self._passage_rows(passages),
            )
        predicates = [
            (i, storable(key), storable(text), storable(inverse)) for i, key, text, inverse in stage.predicates()
        ]
        self._sum(map(repr, predicates))
        self._db.executemany("INSERT INTO predicate VALUES (?, ?, ?, ?)", sorted(predicates))
        self._db.executescript(f"BEGIN; {_INDEXES} COMMIT;")  # which first commits what was written before
        self._full.move(self._db)
        tables = ("name", "description", "passage")
        return {f"{t}s": self._db.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in tables}

    def labels(self) -> Iterator[tuple[Ids, Sequence[str]]]:
        """Yield the nodes that have a display name, ascending, and these names, in batches."""
        # Of a group, SQLite gives the columns of the row that has the minimum.
        rows = self._db.execute("SELECT node, text, min(id) FROM name WHERE kind != 1 GROUP BY node ORDER BY node")
        while batch := rows.fetchmany(100_000):
            yield self.nodes[[node for node, _, _ in batch]], [text for _, text, _ in batch]

    def close(self) -> None:
        """Close the files and remove scratch. Safe to call twice."""
        self._full.close()
        self._db.close()
        self._raw.unlink(missing_ok=True)

    def _add_to_full(self, folds: Sequence[str]) -> None:
        self._full.add(self._named + 1, folds)
        self._named += len(folds)

    def _write_names(self, batches: Iterable[Names], facts: npt.NDArray[np.int64] | None) -> None:
        """Write names. ``facts`` is how many facts each node has, if names still have to be ranked by them."""
        for nodes, kinds, raw_texts in batches:
            local = self._local(nodes)
            at = local.tolist()
            texts = [storable(text) for text in raw_texts]
            self.check += sum(
                [
                    zlib.crc32(f"{node}\x1f{kind}\x1f{text}".encode())
                    for node, kind, text in zip(nodes.tolist(), kinds, texts, strict=True)
                ]
            )
            names = [kind != "description" for kind in kinds]
            folds = fold_all([text if name else "" for name, text in zip(names, texts, strict=True)])
            # Most names differ from their fold in case alone, and SQLite's lower() changes the case of ASCII.
            others = [
                None if fold == text.lower() and text.isascii() else fold
                for fold, text in zip(folds, texts, strict=True)
            ]
            columns = (at, map(KINDS.get, kinds), texts, others)
            if facts is None:  # they are numbered as they come
                self._add_to_full(list(compress(folds, names)))
                self._db.executemany(_RANKED, compress(zip(*columns, strict=True), names))
            else:
                rows = zip((-facts[local]).tolist(), *columns, strict=True)
                self._db.executemany(_RAW_NAME, compress(rows, names))
            self._db.executemany(
                "INSERT INTO raw.description VALUES (?, ?)", compress(zip(at, texts, strict=True), map(not_, names))
            )

    def _passage_rows(self, batch: Sequence[_Passage]) -> Iterator[_Passage]:
        wanted = [row[0] for row in batch]
        local = np.full(len(wanted), -1, np.int64)
        known = np.flatnonzero(np.array(wanted, np.int64) != 0)
        local[known] = self._local([wanted[i] for i in known.tolist()])
        for (node, title, url, text, line), at in zip(batch, local.tolist(), strict=True):
            row = (at, storable(title), storable(url), storable(text), line)
            self.check += zlib.crc32("\x1f".join((str(node), *map(str, row[1:]))).encode())
            yield row

    def _local(self, ids: Sequence[int] | Ids) -> npt.NDArray[np.int64]:
        at = match(self.nodes, np.asarray(ids, np.int64))
        if (at < 0).any():
            raise StoreError("The stage names a node that it does not list.", remedy="Please report this as a bug.")
        return at

    def _sum(self, texts: Iterable[str]) -> None:
        self.check += sum(zlib.crc32(t.encode("utf-8", "surrogatepass")) for t in texts)


def _columns(batch: Sequence[tuple[int, str, str]]) -> Names:
    nodes, kinds, texts = zip(*batch, strict=True) if batch else ((), (), ())
    return np.array(nodes, np.int64), kinds, texts
