"""The catalog of an embedded store: loads, their sources and states, and the generation.

This is one room because every change of a load is one transaction over all its tables.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import sqlite3
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from hydra_kg.domain import LoadInfo, Source
from hydra_kg.errors import StoreBusyError, StoreCorruptError, StoreError
from hydra_kg.stores.embedded.catalog.locks import Lock
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.util.sidecar_db import (
    NO_INDEX,
    SEAL,
    broken_seal,
    count_write,
    make_private,
    open_to_read,
    seal,
    write_ahead,
)

_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,63}\.[0-9]{1,18}|new-[0-9]+-[0-9]+")

State = Literal["staging", "ready", "dropped"]

_WAS_PENDING: Final = "held"
_DISCARDED: Final = "discarded"
"""Marks in the details of a load that was pending: it was made ready, or discarded."""

FILE: Final = "catalog.sqlite"
VERSION: Final = 1

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS load (n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('staging', 'ready', 'dropped')), created TEXT NOT NULL,
    flipped TEXT NOT NULL DEFAULT '', facts INTEGER NOT NULL DEFAULT 0, checksum TEXT NOT NULL DEFAULT '',
    counts TEXT NOT NULL DEFAULT '{}', details TEXT NOT NULL DEFAULT '{}', removed INTEGER NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX IF NOT EXISTS one_ready ON load (name) WHERE state = 'ready';
CREATE TABLE IF NOT EXISTS source (load TEXT NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
    origin TEXT NOT NULL, licence TEXT NOT NULL, version TEXT NOT NULL, checksum TEXT NOT NULL, url TEXT NOT NULL,
    trust REAL, PRIMARY KEY (load, place)) WITHOUT ROWID;
INSERT OR IGNORE INTO meta VALUES ('version', 1), ('generation', 0);
"""

# Whoever writes without knowing of the checksum (an older program) takes it away instead of making it wrong.
_GUARDS: Final = "CREATE TABLE IF NOT EXISTS written (times INTEGER NOT NULL);" + "".join(
    f"CREATE TRIGGER IF NOT EXISTS {table}_{event} AFTER {event} ON {table} {when} BEGIN"
    " DELETE FROM meta WHERE key = 'content'; UPDATE written SET times = times + 1; END;"
    for table, events, when in (
        ("load", ("INSERT", "UPDATE", "DELETE"), ""),
        ("source", ("INSERT", "UPDATE", "DELETE"), ""),
        ("meta", ("UPDATE",), "WHEN old.key <> 'content'"),
    )
    for event in events
)
_GUARD: Final = "SELECT count(*) FROM sqlite_master WHERE name = 'meta_UPDATE'"


@dataclass(frozen=True, slots=True)
class LoadRow:
    """One load in the catalog. ``id`` is the name of its folder; ``counts`` are rows per stream."""

    id: str
    name: str
    state: State
    created: str
    sources: tuple[Source, ...]
    flipped: str = ""
    facts: int = 0
    checksum: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rewrite(self) -> bool:
        """Return True if a drop is rewriting the load now, or was when it was killed."""
        return self.state == "staging" and bool(self.details.get("rewrite"))

    @property
    def pending(self) -> bool:
        """Return True if the load is complete and waits to be made ready or discarded."""
        return self.state == "staging" and bool(self.checksum)

    def names(self) -> set[str]:
        """Return the names of the load and of its sources."""
        return {self.name, *(s.name for s in self.sources)}

    @property
    def was_pending(self) -> bool:
        """Return True if the load was pending before it became ready."""
        return bool(self.details.get(_WAS_PENDING))

    @property
    def was_discarded(self) -> bool:
        """Return True if the load was pending and then discarded, so that it was never ready."""
        return self.state == "dropped" and bool(self.details.get(_DISCARDED))

    def flipped_from_hold(self) -> LoadRow:
        """Return the row marked as having been pending, so that a second flip of the same load is recognised."""
        return replace(self, details={**self.details, _WAS_PENDING: True})

    def info(self) -> LoadInfo:
        """Return the load as readers see it."""
        return LoadInfo(self.name, self.sources, self.facts, self.checksum, self.created)


def drop_folders(details: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """Return the details of a load without its files' folders, and how many files had a folder.

    The folders are left out because they may be private.
    """
    files = details.get("files")
    if not isinstance(files, list | tuple):
        return dict(details), 0
    known = sum(isinstance(file, Mapping) and bool(file.get("folder")) for file in files)
    return {**details, "files": [{**f, "folder": ""} if isinstance(f, Mapping) else f for f in files]}, known


def forget_folders(db: sqlite3.Connection) -> int:
    """Remove the folders of source files from every load of a catalog. Return how many files had one."""
    found = 0
    for load, details in db.execute("SELECT id, details FROM load").fetchall():
        changed, files = drop_folders(json.loads(details))
        if files:
            db.execute("UPDATE load SET details = ? WHERE id = ?", (json.dumps(changed), load))
        found += files
    return found


class Catalog:
    """The ``catalog.sqlite`` of one store. Safe for threads, processes and forks.

    Raises StoreCorruptError if the file is damaged, lost while loads exist, or names a load outside the store.
    """

    def __init__(self, store: Path) -> None:
        self.path = store / FILE
        self._mutex = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._pid = 0
        self._full: sqlite3.OperationalError | None = None  # why the disk had no room even for the log's index
        with self._transaction("BEGIN") as db:
            self._check_content(db)
            version = db.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
        if version is None or version[0] != VERSION:
            raise StoreCorruptError(
                f"{self.path} has version {version and version[0]}, and this program reads {VERSION}.",
                remedy="Use the version of hydra-kg that made the store.",
            )

    @staticmethod
    def create(file: Path) -> None:
        """Create an empty catalog."""
        with closing(sqlite3.connect(file, isolation_level=None)) as db:
            db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} {_GUARDS} COMMIT;")

    def examined(self) -> str:
        """Return what is wrong with the file, including its unused bytes, or "" if nothing is."""
        try:
            with self._connection() as db:
                return broken_seal(db, self.path)
        except (StoreCorruptError, sqlite3.Error) as e:
            return str(e).splitlines()[0]

    def generation(self) -> int:
        """Return the number of the current generation; 0 means that nothing was ever ready."""
        with self._connection() as db:
            return int(db.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()[0])

    def ready(self) -> tuple[int, list[LoadRow]]:
        """Return the current generation and the ready loads, sorted by name, both from the same moment."""
        with self._transaction("BEGIN") as db:
            return self.generation(), sorted(self._rows(db, "state = 'ready'"), key=lambda r: r.name)

    def loads(self, name: str | None = None, *, state: State | None = None) -> list[LoadRow]:
        """Return the loads, oldest first, optionally only those of one name or state."""
        with self._transaction("BEGIN") as db:
            rows = self._rows(db, "TRUE")
        return [r for r in rows if name in (None, r.name) and state in (None, r.state)]

    def begin(self, name: str, sources: Sequence[Source], *, rewrite: bool = False) -> LoadRow:
        """Enter a new load in state staging.

        ``rewrite`` marks a load that a drop is rewriting. Such a load is never resumed.
        """
        now, details = _now(), json.dumps({"rewrite": True} if rewrite else {})
        with self._transaction() as db:
            n = db.execute(
                "INSERT INTO load (id, name, state, created, details) VALUES (?, ?, 'staging', ?, ?)",
                (f"new-{os.getpid()}-{threading.get_ident()}", name, now, details),
            ).lastrowid
            load = f"{re.sub('[^a-z0-9]+', '-', name.lower()).strip('-')[:40] or 'load'}.{n}"
            db.execute("UPDATE load SET id = ? WHERE n = ?", (load, n))
            self._set_sources(db, load, sources)
        return LoadRow(load, name, "staging", now, tuple(sources))

    def resume(self, load: str, sources: Sequence[Source]) -> None:
        """Resume a staging load, perhaps with other sources."""
        with self._transaction() as db:
            self._set_sources(db, load, sources)

    def flip(self, generation: int, *, ready: Sequence[LoadRow] = (), dropped: Sequence[str] = ()) -> None:
        """Make loads ready and others dropped, together with the generation that was built for the change.

        The change is durable on return. Raises StoreError, with nothing changed, if the store changed meanwhile.
        """
        now = _now()
        with self._transaction() as db:
            if self.generation() >= generation:
                raise StoreError("The store changed while a generation was built.", remedy="Run the command again.")
            for load in dropped:
                db.execute("UPDATE load SET state = 'dropped', flipped = ? WHERE id = ?", (now, load))
            for row in ready:
                self._set_state(db, row, "ready", now)
            db.execute("UPDATE meta SET value = ? WHERE key = 'generation'", (generation,))

    def adopt(
        self, generation: int, rows: Sequence[LoadRow], *, lineage: int, publication: int = 0, back: bool = False
    ) -> None:
        """Make loads ready whose files and generation another store has made. Other ready loads become dropped.

        Args:
            publication: a number that tells this state from others of the same generation.
            back: allow the generation to be an older one.

        The change is durable on return. Raises StoreError, with nothing changed, if the store changed meanwhile.
        """
        now = _now()
        with self._transaction() as db:
            if self.generation() >= generation and not back:
                raise StoreError("The store changed meanwhile.", remedy="Run the command again.")
            db.execute("UPDATE load SET state = 'dropped', flipped = ? WHERE state = 'ready'", (now,))
            for row in rows:
                db.execute(
                    "INSERT INTO load (id, name, state, created) VALUES (?, ?, 'dropped', ?)"
                    " ON CONFLICT (id) DO UPDATE SET removed = 0, name = excluded.name, created = excluded.created",
                    (row.id, row.name, row.created),
                )
                self._set_state(db, row, "ready", row.flipped)
            db.execute("INSERT OR REPLACE INTO meta VALUES ('lineage', ?)", (lineage,))
            db.execute("INSERT OR REPLACE INTO meta VALUES ('publication', ?)", (publication,))
            db.execute("UPDATE meta SET value = ? WHERE key = 'generation'", (generation,))

    def lineage(self) -> int:
        """Return the random number that only this store, its copies and its backups share.

        The number is drawn when it is first requested.
        """
        with self._transaction("BEGIN") as db:
            found = db.execute("SELECT value FROM meta WHERE key = 'lineage'").fetchone()
        if found is None:
            with self._transaction() as db:
                db.execute("INSERT OR IGNORE INTO meta VALUES ('lineage', ?)", (secrets.randbits(62),))
                found = db.execute("SELECT value FROM meta WHERE key = 'lineage'").fetchone()
        return int(found[0])

    def forget_folders(self) -> int:
        """Remove the folders of source files from every load. Return how many files had one."""
        with self._transaction() as db:
            return forget_folders(db)

    def publication(self) -> int:
        """Return the number given to ``adopt`` with the current generation, or 0 if there was none."""
        with self._transaction("BEGIN") as db:
            found = db.execute("SELECT value FROM meta WHERE key = 'publication'").fetchone()
        return int(found[0]) if found is not None else 0

    def hold(self, row: LoadRow) -> None:
        """Mark a completely written load as pending."""
        with self._transaction() as db:
            self._set_state(db, row, "staging")

    def discard(self, row: LoadRow) -> None:
        """Mark a pending load as discarded, durably. The next process that cleans up removes its files."""
        with self._transaction() as db:
            self._set_state(db, replace(row, details={**row.details, _DISCARDED: True}), "dropped", _now())

    def forget(self, load: str) -> None:
        """Remove a load that never became ready."""
        with self._transaction() as db:
            if db.execute("DELETE FROM load WHERE id = ? AND state = 'staging'", (load,)).rowcount:
                db.execute("DELETE FROM source WHERE load = ?", (load,))

    def removed(self, load: str) -> None:
        """Record that the files of a dropped load are gone."""
        with self._transaction() as db:
            db.execute("UPDATE load SET removed = 1 WHERE id = ? AND state = 'dropped'", (load,))

    def removable(self) -> list[str]:
        """Return the dropped loads whose files were not removed yet."""
        with self._connection() as db:
            rows = db.execute("SELECT id FROM load WHERE state = 'dropped' AND NOT removed ORDER BY n")
            return [self._checked(load) for (load,) in rows]

    def close(self) -> None:
        """Close the connection; a later call opens it again."""
        with self._mutex:
            if self._db is not None and self._pid == os.getpid():
                self._db.close()
            self._db = None

    def _rows(self, db: sqlite3.Connection, where: str) -> list[LoadRow]:
        """Return the rows of loads that meet an SQL condition. Raise StoreCorruptError for invalid ones."""
        self._check_content(db)
        sources: dict[str, list[Source]] = {}
        for load, _, *values in db.execute("SELECT * FROM source ORDER BY load, place"):
            sources.setdefault(load, []).append(Source(*values))
        columns = "id, name, state, created, flipped, facts, checksum, counts, details"
        return [
            LoadRow(
                self._checked(i),
                name,
                state,
                created,
                tuple(sources.get(i, ())),
                flipped,
                facts,
                checksum,
                json.loads(counts),
                json.loads(details),
            )
            for i, name, state, created, flipped, facts, checksum, counts, details in db.execute(
                f"SELECT {columns} FROM load WHERE {where} ORDER BY n"
            )
        ]

    def _check_content(self, db: sqlite3.Connection) -> None:
        stored = db.execute("SELECT value FROM meta WHERE key = 'content'").fetchone()
        if stored is not None and stored[0] != _content(db):
            raise StoreCorruptError(f"{self.path} is not what was written.", remedy=REBUILD)

    def _checked(self, load: str) -> str:
        """Return a load id if it is valid, because it becomes a part of paths. Raise StoreCorruptError otherwise.

        Files that came from elsewhere may contain any text.
        """
        if _ID.fullmatch(str(load)) is None:
            raise StoreCorruptError(
                f"{self.path} has a load with the id {load[:60]!r}, which is none.",
                remedy="Do not use this store; take another backup.",
            )
        return load

    def _set_state(self, db: sqlite3.Connection, row: LoadRow, state: State, flipped: str = "") -> None:
        counts, details = json.dumps(row.counts), json.dumps(row.details, default=str)
        db.execute(
            "UPDATE load SET state = ?, flipped = ?, facts = ?, checksum = ?, counts = ?, details = ? WHERE id = ?",
            (state, flipped, row.facts, row.checksum, counts, details, row.id),
        )
        self._set_sources(db, row.id, row.sources)

    @staticmethod
    def _set_sources(db: sqlite3.Connection, load: str, sources: Sequence[Source]) -> None:
        db.execute("DELETE FROM source WHERE load = ?", (load,))
        db.executemany(
            "INSERT INTO source VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(load, i, *asdict(s).values()) for i, s in enumerate(sources)],
        )

    @contextmanager
    def _transaction(self, begin: str = "BEGIN IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """Yield a connection in one transaction, after which the file is sealed."""
        with self._connection() as db:
            if self._full is not None and begin != "BEGIN":
                raise self._full
            db.execute(begin)
            try:
                yield db
                if begin != "BEGIN":
                    set_content(db)
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
            if begin != "BEGIN":
                seal(db, self.path)

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection of this process.

        A connection that was inherited through a fork is left alone, as SQLite requires.
        """
        with self._mutex:
            if self._db is None or self._pid != os.getpid():
                self._db, self._pid = self._open(), os.getpid()
            try:
                yield self._db
            except sqlite3.DatabaseError as e:
                code = getattr(e, "sqlite_errorcode", 0) & 0xFF
                if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                    raise StoreBusyError(
                        f"{self.path} is locked by another process.",
                        remedy="Run the command again when it has finished.",
                    ) from e
                if _is_damage(e):
                    raise self._damaged(e) from e
                raise

    def _open(self) -> sqlite3.Connection:
        """Open the catalog, and make it under a lock if it is missing."""
        try:
            if self.path.is_file():
                return self._open_to_write()
            self._check_lost()
            with Lock(self.path.parent / "locks" / "catalog") as lock:  # two processes may create it at once
                lock.exclusive(wait=True)
                return self._open_to_write()
        except sqlite3.OperationalError as e:
            code = getattr(e, "sqlite_errorcode", 0)
            self._full = e if code in NO_INDEX and not self._logged() else None
            if _is_damage(e):
                raise self._damaged(e) from e
            if not self.path.is_file() or (self._full is None and code & 0xFF not in _READ_ONLY):
                raise
            return self._open_to_read()
        except sqlite3.DatabaseError as e:
            raise self._damaged(e) from e

    def _logged(self) -> bool:
        """Return True if the write-ahead log contains something that is not in the file yet."""
        log = self.path.with_name(f"{FILE}-wal")
        return log.is_file() and log.stat().st_size > 0

    def _open_to_write(self) -> sqlite3.Connection:
        """Open the catalog for writing, and make its tables if they are missing."""
        make_private(self.path)
        db = sqlite3.connect(self.path, timeout=60, isolation_level=None, check_same_thread=False)
        try:
            write_ahead(db)
            db.execute("PRAGMA synchronous = FULL")
            if not db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'source'").fetchone()[0]:
                self._check_lost()
                db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
            if not db.execute(_GUARD).fetchone()[0]:
                db.executescript(f"BEGIN IMMEDIATE; {_GUARDS} COMMIT;")
            if not self.path.with_name(FILE + SEAL).exists():
                seal(db, self.path)
        except BaseException:
            db.close()
            raise
        return db

    def _open_to_read(self) -> sqlite3.Connection:
        """Open for reading on a read-only medium or full disk.

        The write-ahead log is read too if possible; otherwise only the file is.
        """
        try:
            return open_to_read(self.path, table="meta", check_same_thread=False)
        except sqlite3.OperationalError as e:
            if self._full is not None:  # it became full when the first tables were made
                raise self._full from e
            raise StoreError(
                f"{self.path} cannot be read.", remedy="Check the permissions of the store's folder."
            ) from e

    def _check_lost(self) -> None:
        """Raise StoreCorruptError if loads exist. Call it before a new catalog is made."""
        if found := complete_loads(self.path.parent):
            raise StoreCorruptError(
                f"The catalog of the store {self.path.parent} is lost; {len(found)} loads are there without it.",
                remedy=REBUILD,
            )

    def _damaged(self, error: sqlite3.DatabaseError) -> StoreCorruptError:
        return StoreCorruptError(f"{self.path} is not a catalog ({error}).", remedy=REBUILD)


REBUILD: Final = (
    "hydra-kg db doctor --repair builds a new catalog from the loads on disk and removes nothing. Or restore a backup."
)
"""The remedy for a catalog that is lost or damaged."""

_DAMAGE: Final = {0, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
"""SQLite error codes for damaged pages, for missing tables, and (0) for text that cannot be decoded."""

_READ_ONLY: Final = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}


def set_content(db: sqlite3.Connection) -> None:
    """Store the checksum of a catalog's rows in it, within the transaction that changed them."""
    count_write(db)
    db.execute("INSERT OR REPLACE INTO meta VALUES ('content', ?)", (_content(db),))


def _content(db: sqlite3.Connection) -> int:
    """Return the CRC-32 of all rows."""
    crc = 0
    for table in ("load", "source", "meta"):
        for row in db.execute(f"SELECT * FROM {table} ORDER BY 1, 2"):
            if row[0] != "content":
                crc = zlib.crc32(repr(row).encode("utf-8", "surrogatepass"), crc)
    return crc


def complete_loads(store: Path) -> list[str]:
    """Return the folders of a store that contain a complete load, by name. Their states are in the catalog."""
    loads = store / "loads"
    return sorted(f.name for f in loads.iterdir() if (f / "manifest.json").is_file()) if loads.is_dir() else []


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    known = isinstance(error, sqlite3.ProgrammingError)  # a mistake of ours, whatever its code
    return not known and getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def decide(name: str) -> str:
    """Return the remedy text for a pending load."""
    return f"hydra-kg sources show {name} compares it; sources flip {name} takes it, sources discard {name} does not."
