"""A SQLite file in the store's folder with the web pages that questions found, stored until they expire."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from hydra_kg.domain import Evidence, Locator, Passage, Source
from hydra_kg.errors import NotFoundError, StoreCorruptError
from hydra_kg.stores.common.passages import words
from hydra_kg.text.quoting import fts5_words
from hydra_kg.util.sidecar_db import Sealing, changing, count_write, open_db

FILE: Final = "web.sqlite"
"""The file's name in the folder of an embedded store, or in this user's folder for a server."""

VERSION: Final = 1
PAGES: Final = 10_000  # kept at most; those that expire first go first

# `hop` is what a question read out of a page, for people: it is no fact of the graph, and later questions read the
# page again (what a model wrote is never stored as a fact).
SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS page (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, origin TEXT NOT NULL, url TEXT NOT NULL,
    title TEXT NOT NULL, text TEXT NOT NULL, fetched TEXT NOT NULL, expires TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS page_expires ON page(expires);
CREATE INDEX IF NOT EXISTS page_name ON page(name);
CREATE TABLE IF NOT EXISTS hop (
    page INTEGER NOT NULL REFERENCES page(n) ON DELETE CASCADE, subject TEXT NOT NULL, phrase TEXT NOT NULL,
    object TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL, question TEXT NOT NULL, agent TEXT NOT NULL,
    PRIMARY KEY (page, start, subject, phrase, object)) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS page_full
    USING fts5(title, text, content='page', content_rowid='n', tokenize='porter unicode61');
CREATE TRIGGER IF NOT EXISTS page_added AFTER INSERT ON page BEGIN
    INSERT INTO page_full(rowid, title, text) VALUES (new.n, new.title, new.text); END;
CREATE TRIGGER IF NOT EXISTS page_gone AFTER DELETE ON page BEGIN
    INSERT INTO page_full(page_full, rowid, title, text) VALUES ('delete', old.n, old.title, old.text); END;
"""


class SqlitePageCache:
    """Stores web pages for several processes; the first ``keep`` makes the file.

    Disk errors while pages are stored or searched are not raised: they call ``warn`` (default: the log). Times are UTC.
    """

    def __init__(self, path: Path, *, warn: Callable[[str], None] | None = None) -> None:
        self.path = path
        self._warn = warn or logging.getLogger("hydra_kg").warning
        self._sealing = Sealing(path, lambda: self._opened(write=True))

    def keep(
        self,
        passages: Sequence[Passage],
        evidence: Sequence[Evidence] = (),
        *,
        question: str = "",
        agent: str = "",
        now: datetime,
        days: int,
    ) -> int:
        """Store the passages of kind ``web`` for ``days``. Return how many were stored.

        The hops for which the evidence cites a page are stored with it. A page of the same source is replaced, and
        expired pages are removed.
        """
        found = {p.source.name: p for p in reversed(passages) if p.source.kind == "web"}
        try:
            with self._changed() as connection:
                connection.execute("DELETE FROM page WHERE expires <= ?", (_text(now),))
                for p in found.values():
                    connection.execute("DELETE FROM page WHERE name = ? AND id <> ?", (p.source.name, p.id))
                    connection.execute(
                        "INSERT INTO page (id, name, origin, url, title, text, fetched, expires) "
                        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET expires = excluded.expires",
                        (
                            p.id,
                            p.source.name,
                            p.source.origin,
                            p.source.url,
                            p.title,
                            p.text,
                            _text(now),
                            _text(now + timedelta(days=days)),
                        ),
                    )
                connection.executemany(
                    "INSERT OR IGNORE INTO hop SELECT n, ?, ?, ?, ?, ?, ?, ? FROM page WHERE name = ?",
                    [(*hop, question, agent, name) for name, hop in _hops(evidence) if name in found],
                )
                connection.execute(
                    "DELETE FROM page WHERE n IN (SELECT n FROM page ORDER BY expires DESC, n DESC LIMIT -1 OFFSET ?)",
                    (PAGES,),
                )
        except (OSError, sqlite3.Error, StoreCorruptError) as e:
            self._warn(f"Pages found on the web could not be stored ({e}).")
            return 0
        return len(found)

    def passages(self, query: str, *, now: datetime, limit: int) -> list[Passage]:
        """Return at most ``limit`` unexpired pages that contain a word of the query, best first (bm25, then id)."""
        match = fts5_words(words(query))
        if not match or not self.path.exists():
            return []
        try:
            with self._opened() as connection:
                rows = connection.execute(
                    "SELECT p.id, p.name, p.origin, p.url, p.title, p.text, -f.rank FROM page_full AS f "
                    "JOIN page AS p ON p.n = f.rowid WHERE page_full MATCH ? AND p.expires > ? "
                    "ORDER BY f.rank, p.id LIMIT ?",
                    (match, _text(now), limit),
                ).fetchall()
        except (OSError, sqlite3.Error, StoreCorruptError) as e:
            self._warn(f"The stored web pages could not be read ({e}).")
            return []
        return [
            Passage(
                key,
                title,
                text,
                Source(name, "web", origin=origin, url=url),
                Locator(page=title, url=url),
                0,
                float(score),
            )
            for key, name, origin, url, title, text, score in rows
        ]

    def pages(self, *, now: datetime) -> list[Mapping[str, Any]]:
        """Return all unexpired pages, by name: name, origin, url, title, fetched, expires, characters, hops."""
        if not self.path.exists():
            return []
        columns = ("name", "origin", "url", "title", "fetched", "expires", "characters", "hops")
        with self._opened() as connection:
            rows = connection.execute(
                "SELECT name, origin, url, title, fetched, expires, length(text), "
                "(SELECT count(*) FROM hop WHERE page = n) FROM page WHERE expires > ? ORDER BY name, n",
                (_text(now),),
            ).fetchall()
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def as_loads(self, *, now: datetime) -> Sequence[Mapping[str, Any]]:
        """Return the pages as :meth:`hydra_kg.ports.Store.loads` describes loads: state ``kept``, hops as facts."""
        return [
            {
                "id": "",
                "name": p["name"],
                "state": "kept",
                "facts": p["hops"],
                "bytes": p["characters"],
                "created": p["fetched"],
                "flipped": "",
                "details": {"expires": p["expires"], "title": p["title"]},
                "sources": [
                    {
                        "name": p["name"],
                        "kind": "web",
                        "origin": p["origin"],
                        "url": p["url"],
                        "licence": "",
                        "version": "",
                        "checksum": "",
                    }
                ],
            }
            for p in self.pages(now=now)
        ]

    def hops(self, name: str) -> list[Mapping[str, Any]]:
        """Return the hops read from a page: subject, phrase, object, start, end, question, agent."""
        columns = ("subject", "phrase", "object", "start", "end", "question", "agent")
        if not self.path.exists():
            return []
        with self._opened() as connection:
            rows = connection.execute(
                f"SELECT {', '.join(f'hop.{c}' for c in columns)} FROM hop JOIN page ON n = page WHERE name = ? "
                "ORDER BY start, subject, phrase, object",
                (name,),
            ).fetchall()
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def drop(self, name: str = "") -> Mapping[str, int]:
        """Drop the page of a source, or all pages for "". Return the number of dropped pages. Raise NotFoundError."""
        count = 0
        if self.path.exists():
            with self._changed() as connection:
                count = connection.execute("DELETE FROM page WHERE ? IN ('', name)", (name,)).rowcount
        if name and not count:
            raise NotFoundError(f"No stored page is called {name}.", remedy="hydra-kg sources list shows all names.")
        return {"pages": count}

    @contextmanager
    def _changed(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection for writing, in one transaction, after which the file is sealed."""
        with self._opened(write=True) as connection:
            with changing(connection):
                yield connection
                count_write(connection)
            self._sealing.after_write(connection)

    def _opened(self, *, write: bool = False) -> AbstractContextManager[sqlite3.Connection]:
        pragmas = ("synchronous=NORMAL", "foreign_keys=ON")
        return open_db(self.path, schema=SCHEMA, version=VERSION, write=write, pragmas=pragmas)


def _hops(evidence: Sequence[Evidence]) -> Iterator[tuple[str, tuple[str, str, str, int, int]]]:
    for e in evidence:
        if (p := e.path.passage) is not None and p.source.kind == "web":
            for h in e.path.hops:
                yield p.source.name, (h.subject.name, h.text, h.object.name, p.locator.start, p.locator.end)


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
