"""The texts of one load: names for linking as arrays; their full text, descriptions and passages in one SQLite file."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.errors import StoreError
from hydra_kg.ports import Stage
from hydra_kg.stores.embedded.segments import name_full_text
from hydra_kg.stores.embedded.segments.array_folder import FolderWriter
from hydra_kg.stores.embedded.segments.format import TEXTS
from hydra_kg.stores.embedded.segments.name_rows import NameWriter
from hydra_kg.text.plain_text import storable
from hydra_kg.util.number_columns import match

KINDS: Final = {"name": 0, "alias": 1, "title": 2}
_SCHEMA: Final = f"""
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
CREATE TABLE raw.name (fame INTEGER, node INTEGER, kind INTEGER, text TEXT);
CREATE TABLE raw.description (node INTEGER, text TEXT);
"""
# Groups come out of one sort, in its order: popular nodes first (fame is the negative number of facts).
_RANKED: Final = "SELECT node, kind, text FROM raw.name GROUP BY fame, node, kind, text ORDER BY fame, node, kind, text"
_INDEXES: Final = """
INSERT INTO passage_full (passage_full, rank) VALUES ('automerge', 0), ('hashsize', 67108864);
INSERT INTO passage_full (passage_full) VALUES ('rebuild');
INSERT INTO passage_full (passage_full) VALUES ('optimize');
CREATE INDEX passage_node ON passage (node);
"""
_BATCH: Final = 100_000
_DESCRIPTION: Final = -1
"""Stands for descriptions among the kinds of names."""

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


class TextsWriter:
    """Writes ``texts.sqlite`` of a load, and the arrays of its names.

    The file has no journal and is valid only once the manifest names it.
    """

    def __init__(
        self, out: FolderWriter, scratch: Path, *, nodes: Ids, facts: Callable[[], npt.NDArray[np.int64]]
    ) -> None:
        path = out.path / TEXTS
        self.nodes, self.facts = nodes, facts
        self.check = 0
        """Order-free sum over all rows of the file: two loads with the same texts have the same."""
        self._raw = scratch / "texts-raw.sqlite"
        for old in (path, self._raw):
            old.unlink(missing_ok=True)
        self._names = NameWriter(out, scratch, nodes=len(nodes))
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
            self._rank_names()
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
        self._names.finish().move(self._db)
        tables = ("description", "passage")
        return {
            "names": self._names.count,
            **{f"{t}s": self._db.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in tables},
        }

    def close(self) -> None:
        """Close the files and remove scratch. Safe to call twice."""
        self._names.close()
        self._db.close()
        self._raw.unlink(missing_ok=True)

    def _write_names(self, batches: Iterable[Names], facts: npt.NDArray[np.int64] | None) -> None:
        """Write names. ``facts`` is how many facts each node has, if names still have to be ranked by them."""
        for nodes, kinds, raw_texts in batches:
            local = self._local(nodes)
            texts = [storable(text) for text in raw_texts]
            numbers = np.fromiter((KINDS.get(kind, _DESCRIPTION) for kind in kinds), np.int8, len(kinds))
            named = numbers != _DESCRIPTION
            self._write_descriptions(nodes[~named], local[~named], list(compress(texts, ~named)))
            if facts is None:  # they are numbered as they come
                self._names.add(local[named], numbers[named], list(compress(texts, named)))
            else:
                rows = zip((-facts[local]).tolist(), local.tolist(), numbers.tolist(), texts, strict=True)
                self._db.executemany("INSERT INTO raw.name VALUES (?, ?, ?, ?)", compress(rows, named))

    def _rank_names(self) -> None:
        """Write the names of the stage in their order."""
        ranked = self._db.execute(_RANKED)
        while batch := ranked.fetchmany(_BATCH):
            local, kinds, texts = zip(*batch, strict=True)
            self._names.add(np.array(local, np.int64), np.array(kinds, np.int8), texts)

    def _write_descriptions(self, nodes: Ids, local: npt.NDArray[np.int64], texts: Sequence[str]) -> None:
        self._sum(f"{node}\x1f{text}" for node, text in zip(nodes.tolist(), texts, strict=True))
        self._db.executemany("INSERT INTO raw.description VALUES (?, ?)", zip(local.tolist(), texts, strict=True))

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
