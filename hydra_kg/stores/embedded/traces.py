"""Saved answers of the embedded store, in their own SQLite file, so that asking never waits for loading."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from hydra_kg.errors import StoreCorruptError
from hydra_kg.serialise import compact_json, trim
from hydra_kg.stores.common.kept_answer import read_kept_answer
from hydra_kg.stores.common.refusals import no_answers, several_answers
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.util.sidecar_db import Sealing, changing, count_write, is_made, make_private, open_to_read, write_ahead

VERSION = 1
_COLUMNS = ("id", "question", "answer_text", "verdict", "label", "strategy", "agent", "abstained")

# The graph form of an explored question (docs/adr/0019-explored-questions-on-neo4j.md) as tables, which are what is
# searched: Question-RAN-Exploration-FOUND-Path, and Question-USED-Entity. The whole answer is ``doc``.
SCHEMA = """
CREATE TABLE IF NOT EXISTS question (
    id TEXT PRIMARY KEY, question TEXT NOT NULL, answer_text TEXT NOT NULL, verdict TEXT NOT NULL,
    label TEXT NOT NULL, strategy TEXT NOT NULL, agent TEXT NOT NULL, abstained INTEGER NOT NULL,
    created TEXT NOT NULL, doc BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS question_created ON question(created);
CREATE TABLE IF NOT EXISTS exploration (
    question TEXT NOT NULL REFERENCES question(id) ON DELETE CASCADE, n INTEGER NOT NULL, phase TEXT NOT NULL,
    depth INTEGER NOT NULL, truncated INTEGER NOT NULL, counts TEXT NOT NULL,
    PRIMARY KEY (question, n)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS path (
    question TEXT NOT NULL REFERENCES question(id) ON DELETE CASCADE, exploration INTEGER NOT NULL,
    rank INTEGER NOT NULL, kept INTEGER NOT NULL, relevance REAL, verification REAL, "cross" REAL,
    PRIMARY KEY (question, exploration, rank)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS used (
    source TEXT NOT NULL, fid TEXT NOT NULL, question TEXT NOT NULL REFERENCES question(id) ON DELETE CASCADE,
    exploration INTEGER NOT NULL, entity TEXT NOT NULL,
    PRIMARY KEY (source, fid, question, exploration, entity)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS used_question ON used(question);
"""


class SqliteTraces:
    """The port TraceStore in ``STORE/traces.sqlite``, which several processes may use at once.

    The first ``save`` makes the file. A failed ``save`` never raises; it calls ``warn`` once (default: the log).
    """

    def __init__(self, path: Path, *, warn: Callable[[str], None] | None = None) -> None:
        self.path = path
        self._warn = warn or logging.getLogger("hydra_kg").warning
        self._warned = False
        self._sealing = Sealing(path, lambda: closing(self._open_to_write()))
        self._lock = threading.Lock()
        self._open: _Open | None = None
        self._inherited: list[_Open] = []

    def save(self, answer: Mapping[str, Any]) -> None:
        """Save one answer (in the form of ``ask --json``), at most 200 KB. An answer with the same id is replaced."""
        try:
            rows = _AnswerRows.of(trim(dict(answer)))  # others write meanwhile
            with self._writing() as connection:
                with changing(connection):
                    rows.write(connection)
                    count_write(connection)
                self._sealing.after_write(connection)
        except (OSError, sqlite3.Error) as e:
            if not self._warned:
                self._warned = True
                self._warn(f"The answer could not be stored for hydra-kg show ({e}).")

    def get(self, key: str = "") -> Mapping[str, Any]:
        """Return a saved answer by id or unique prefix; the newest for "". Raise NotFoundError, StoreCorruptError."""
        with closing(self._open_to_read()) as connection:
            if key:
                # Not LIKE: what a person types may hold % and _.
                rows = connection.execute(
                    "SELECT id, doc FROM question WHERE substr(id, 1, ?) = ? ORDER BY id LIMIT 6", (len(key), key)
                ).fetchall()
                exact = [r for r in rows if r[0] == key]
                rows = exact or rows
            else:
                rows = connection.execute(
                    "SELECT id, doc FROM question ORDER BY created DESC, rowid DESC LIMIT 1"
                ).fetchall()
        if not rows:
            raise no_answers(key)
        if len(rows) > 1:
            raise several_answers(key, [r[0] for r in rows])
        return read_kept_answer(rows[0][1], f"A stored answer in {self.path}")

    def list(self, *, limit: int = 20) -> Sequence[Mapping[str, Any]]:
        """Return the newest saved answers.

        Each has id, question, answer_text, verdict, label, strategy, abstained and created (UTC).
        """
        columns = ("id", "question", "answer_text", "verdict", "label", "strategy", "abstained", "created")
        if not is_made(self.path):
            return []
        with closing(self._open_to_read()) as connection:
            rows = connection.execute(
                f"SELECT {', '.join(columns)} FROM question ORDER BY created DESC, rowid DESC LIMIT ?", (limit,)
            ).fetchall()
        return [{**dict(zip(columns, row, strict=True)), "abstained": bool(row[6])} for row in rows]

    def questions_using(self, source: str) -> Sequence[Mapping[str, Any]]:
        """Return the question id, exploration, fact or passage id, and entity of everything used from a source."""
        if not is_made(self.path):
            return []
        with closing(self._open_to_read()) as connection:
            rows = connection.execute(
                "SELECT question, exploration, fid, entity FROM used WHERE source = ? ORDER BY 1, 2, 3, 4", (source,)
            ).fetchall()
        return [dict(zip(("question", "exploration", "fact", "entity"), row, strict=True)) for row in rows]

    def close(self) -> None:
        """Close the file; the next ``save`` opens it again."""
        with self._lock:
            self._leave()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection for writing, to one thread at a time.

        The connection stays open. Closing the last one would write the log into the file and wait for the disk, which
        would take longer than everything else in saving an answer.
        """
        with self._lock:
            if self._open is not None and self._open.whose != _whose(self.path):
                self._leave()
            if self._open is None:
                connection = self._open_to_write()
                self._open = _Open(connection, _whose(self.path))
            try:
                yield self._open.connection
            except BaseException:
                self._leave()
                raise

    def _leave(self) -> None:
        if self._open is not None:
            if self._open.whose[0] == os.getpid():
                self._open.connection.close()
            else:  # what came through a fork is left alone, as SQLite wants it
                self._inherited.append(self._open)
            self._open = None

    def _open_to_write(self) -> sqlite3.Connection:
        """Open the file of answers for writing."""
        make_private(self.path)
        connection = sqlite3.connect(self.path, timeout=10, check_same_thread=False)
        try:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version not in (0, VERSION):
                raise sqlite3.DatabaseError(f"{self.path.name} is of version {version}, this program writes {VERSION}")
            write_ahead(connection)
            # A trace lost with the power is no fact lost; a sync would cost every answer some milliseconds.
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA foreign_keys=ON")
            if version == 0:
                connection.executescript(f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version={VERSION}; COMMIT;")
        except BaseException:
            connection.close()
            raise
        return connection

    def _open_to_read(self) -> sqlite3.Connection:
        """Open the file of answers for reading. Raise an error if there is none."""
        if not is_made(self.path):
            raise no_answers("")
        try:
            return open_to_read(self.path, table="question")
        except sqlite3.DatabaseError as e:
            raise StoreCorruptError(
                f"{self.path} cannot be read: {e}.",
                remedy="Remove the file to start a new one; no fact of the store is lost.",
            ) from e


@dataclass(frozen=True, slots=True)
class _Open:
    """A connection, and what :func:`_whose` returned when it was opened."""

    connection: sqlite3.Connection
    whose: tuple[int, ...]


def _whose(path: Path) -> tuple[int, ...]:
    """Return numbers that identify this process and the file itself.

    Another process or an exchanged file needs a new connection.
    """
    with suppress(OSError):
        found = path.stat()
        return os.getpid(), found.st_dev, found.st_ino
    return (os.getpid(),)


def find_changed_answer(connection: sqlite3.Connection) -> str:
    """Return the id of a saved answer whose rows do not match its document, or "" if there is none.

    Raises the errors of a damaged document: zlib.error, ValueError, KeyError, TypeError, sqlite3.Error.
    """
    for key, *found, packed in connection.execute(f"SELECT {', '.join(_COLUMNS)}, doc FROM question"):
        doc = json.loads(zlib.decompress(packed))
        if doc["id"] != key or _question(doc) != (key, *found):
            return str(key)
        for table, rows in _rows(doc).items():
            stored = connection.execute(f"SELECT * FROM {table} WHERE question = ?", (key,)).fetchall()
            if set(stored) != set(rows):
                return str(key)
    return ""


def _question(doc: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the searchable values of an answer, in the order of ``_COLUMNS``."""
    text = {k: _text(doc[k]) for k in ("question", "answer_text", "label")}
    return (
        doc["id"],
        text["question"],
        text["answer_text"],
        doc["verdict"],
        text["label"],
        doc["strategy"],
        doc["agent"],
        int(doc["abstained"]),
    )


def _rows(doc: Mapping[str, Any]) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of an answer in the other tables."""
    key = doc["id"]
    rows: dict[str, list[tuple[Any, ...]]] = {"exploration": [], "path": [], "used": []}
    for n, x in enumerate(doc["explorations"]):
        rows["exploration"].append((key, n, x["phase"], x["depth"], int(x["truncated"]), json.dumps(x["counts"])))
        rows["path"] += [
            (key, n, p["rank"], int(p["kept"]), *(p["scores"][s] for s in ("relevance", "verification", "cross")))
            for p in x["paths"]
        ]
        rows["used"] += _list_used(key, n, x["paths"])
    # The answer's own paths count as used even where a phase of that name is not among the explorations.
    rows["used"] += _list_used(key, -1, doc["paths"])
    return rows


@dataclass(frozen=True, slots=True)
class _AnswerRows:
    """An answer as it is written: the row of its question, the whole answer compressed, its rows in other tables."""

    question: tuple[Any, ...]
    doc: bytes
    others: Mapping[str, Sequence[tuple[Any, ...]]]

    @classmethod
    def of(cls, doc: Mapping[str, Any]) -> Self:
        return cls(_question(doc), zlib.compress(compact_json(doc), 6), _rows(doc))

    def write(self, connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM question WHERE id = ?", self.question[:1])
        connection.execute(
            f"INSERT INTO question ({', '.join(_COLUMNS)}, created, doc) VALUES"
            " (?, ?, ?, ?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), ?)",
            (*self.question, self.doc),
        )
        for table, rows in self.others.items():
            if rows:
                places = ", ".join("?" * len(rows[0]))
                connection.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({places})", rows)


def _list_used(
    key: str, exploration: int, paths: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, str, str, int, str]]:
    """Yield the rows of everything that an answer used.

    There is one row per fact of a kept path and entity at either end of its hop, and one per passage, with the id of
    the passage.
    """
    for path in paths:
        if path["kept"]:
            for hop in path["hops"]:
                for fact in hop["sources"]:
                    for end in (hop["subject"], hop["object"]):
                        yield _text(fact["source"]), fact["fact"], key, exploration, _text(end["id"])
            if passage := path.get("passage"):
                yield _text(passage["source"]), passage["id"], key, exploration, ""


def _text(text: object) -> str:
    """Return text without half surrogate pairs, which SQLite does not accept.

    They come from damaged file names or labels.
    """
    return str(text).encode("utf-8", "replace").decode()
