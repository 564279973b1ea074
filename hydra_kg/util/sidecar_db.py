"""A small SQLite file next to a store that several processes may read and write. The first writer makes it."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Final

from hydra_kg.errors import StoreCorruptError

SEAL: Final = ".seal"
"""The ending of the name of a seal, which is a file next to the sealed one."""

SEALED: Final = 16 << 20
"""Size of the largest file that is sealed as a whole. Sealing reads all of it after every write."""

SEALED_AT_ONCE: Final = 0.002
"""A file that can be sealed in this number of seconds is sealed after every write."""

SEALED_SHARE: Final = 20.0
"""Factor of the time between two seals to the time that sealing takes."""

NO_INDEX: Final = {sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMOPEN}
"""SQLite's error codes if there is no space for the index of a write-ahead log."""

_FULL: Final = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}
_SQLITE_FULL: Final = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, *NO_INDEX}

NO_UPGRADES: Final[Mapping[int, str]] = MappingProxyType({})
"""The upgrades of a file that has only ever had one version."""


def is_full(error: BaseException) -> bool:
    """Return True if an error means that a disk, a quota or a limit on file sizes leaves no space."""
    if isinstance(error, OSError):
        return error.errno in _FULL
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, sqlite3.OperationalError) and (code in _SQLITE_FULL or "full" in str(error))


def make_private(path: Path) -> None:
    """Make an empty private file unless it exists. SQLite's logs get the same permissions. Opening reports failures."""
    with suppress(OSError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


@contextmanager
def open_db(
    path: Path,
    *,
    schema: str,
    version: int,
    write: bool = False,
    pragmas: Sequence[str] = (),
    upgrades: Mapping[int, str] = NO_UPGRADES,
) -> Iterator[sqlite3.Connection]:
    """Return a connection to the file, which is closed at the end of the block.

    Args:
        write: Whether to open it for writing. This also makes the file if needed and sets ``pragmas``.
        upgrades: SQL statements that upgrade a file, by its version.

    Raises StoreCorruptError for other files, and sqlite3.OperationalError if there is no file.
    """
    if not write and upgrades and _version_of(path) in upgrades:
        with open_db(path, schema=schema, version=version, write=True, upgrades=upgrades):
            pass
    if write:
        make_private(path)
    address = f"{path.absolute().as_uri()}?mode={'rwc' if write else 'ro'}"
    with closing(sqlite3.connect(address, uri=True, timeout=10)) as connection:
        try:
            (found,) = connection.execute("PRAGMA user_version").fetchone()
            if found == 0 and write:
                connection.executescript(f"BEGIN IMMEDIATE; {schema} PRAGMA user_version={version}; COMMIT;")
                found = version
            if write and found in upgrades:
                found = _upgrade(connection, upgrades)
            for pragma in pragmas if write else ():
                connection.execute(f"PRAGMA {pragma}")
        except sqlite3.DatabaseError as e:
            raise StoreCorruptError(f"{path} cannot be read: {e}.", remedy="Remove the file to start a new one.") from e
        if found != version:
            raise StoreCorruptError(
                f"{path} is of version {found}, this program knows {version}.",
                remedy="Use the program that wrote it, or remove the file.",
            )
        yield connection


def _size(file: Path) -> int:
    """Return the size of a file in bytes, 0 if there is none.

    The last connection that closes removes a log, so a log may disappear at any moment.
    """
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def is_made(path: Path) -> bool:
    """Return True if a file has tables. An unreadable file counts, so that its reader reports the reason."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=10)) as connection:
            return bool(connection.execute("PRAGMA user_version").fetchone()[0])
    except sqlite3.Error:
        return path.is_file()


def _version_of(path: Path) -> int:
    """Return the version of an existing file, 0 if it cannot be read."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=10)) as connection:
            return int(connection.execute("PRAGMA user_version").fetchone()[0])
    except sqlite3.Error:
        return 0


def _upgrade(connection: sqlite3.Connection, upgrades: Mapping[int, str]) -> int:
    """Upgrade the file step by step and return its version.

    Each step is one transaction. Another process may have done the step before.
    """
    while True:
        connection.execute("BEGIN IMMEDIATE")
        (found,) = connection.execute("PRAGMA user_version").fetchone()
        if found not in upgrades:
            connection.execute("COMMIT")
            return int(found)
        try:
            for statement in filter(None, map(str.strip, upgrades[found].split(";"))):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={found + 1}")
        except sqlite3.Error:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


def write_ahead(db: sqlite3.Connection, *, seconds: float = 10) -> None:
    """Give the file a write-ahead log, waiting for other processes.

    Raises sqlite3.OperationalError after ``seconds``.
    """
    last = time.monotonic() + seconds
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as e:
            if e.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > last:
                raise
        time.sleep(0.01)


@contextmanager
def open_shared_db(
    path: Path, *, schema: str, version: int, write: bool = False, upgrades: Mapping[int, str] = NO_UPGRADES
) -> Iterator[sqlite3.Connection]:
    """Return a connection as `open_db` does; for writing, also make the folder and a write-ahead log."""
    if write:
        path.parent.mkdir(parents=True, exist_ok=True)
    with open_db(path, schema=schema, version=version, write=write, upgrades=upgrades) as db:
        if write:
            write_ahead(db)
        yield db


@contextmanager
def changing(db: sqlite3.Connection) -> Iterator[None]:
    """Run one writing transaction, with tables re-read inside it. If it raises sqlite3.Error, nothing was written."""
    with db:
        db.execute("BEGIN IMMEDIATE")
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield


def add_checksum(data: bytes) -> bytes:
    """Return bytes followed by their CRC-32, so that a changed bit on the disk is noticed."""
    return data + zlib.crc32(data).to_bytes(4, "little")


def strip_checksum(blob: bytes) -> bytes | None:
    """Return the bytes without their checksum, or None if they are not as they were written."""
    data = blob[:-4]
    return data if len(blob) >= 4 and zlib.crc32(data) == int.from_bytes(blob[-4:], "little") else None


def count_write(db: sqlite3.Connection) -> None:
    """Count a write within its transaction, so that a seal can name the write after which it was made."""
    db.execute("CREATE TABLE IF NOT EXISTS written (times INTEGER NOT NULL)")
    if not db.execute("UPDATE written SET times = times + 1").rowcount:
        db.execute("INSERT INTO written VALUES (1)")


def seal(db: sqlite3.Connection, file: Path) -> None:
    """Store the whole database's checksum in a file next to it. A failure is not an error."""
    place = file.with_name(file.name + SEAL)
    with suppress(OSError, sqlite3.Error):
        writes, checksum = _image(db)
        part = place.with_name(f"{place.name}.{os.getpid()}-{threading.get_ident()}")
        if checksum:
            make_private(part)
            part.write_bytes(add_checksum(json.dumps({"writes": writes, "crc32": checksum}).encode()))
            part.replace(place)
        else:
            place.unlink(missing_ok=True)


class Sealing:
    """Seals a file after writes: at once if that is fast, else later, so that it takes at most a twentieth of the time.

    ``opened`` is a writing connection that the threads share. ``clock`` and ``timer`` can be replaced in tests.
    """

    def __init__(
        self,
        file: Path,
        opened: Callable[[], AbstractContextManager[sqlite3.Connection]],
        *,
        clock: Callable[[], float] = time.monotonic,
        timer: Callable[..., threading.Timer] = threading.Timer,
    ) -> None:
        self._file, self._opened = file, opened
        self._clock, self._make_timer = clock, timer
        self._lock = threading.Lock()
        self._due = 0.0
        self._later: threading.Timer | None = None

    def after_write(self, db: sqlite3.Connection) -> None:
        """Seal the file now or soon. Call it after writing over this connection."""
        with self._lock:
            wait = self._due - self._clock()
            if wait > 0:
                if self._later is None:
                    self._later = self._make_timer(wait, self._at_last)
                    self._later.start()
                return
            began = self._clock()
            seal(db, self._file)
            took = self._clock() - began
            self._due = self._clock() + SEALED_SHARE * took if took > SEALED_AT_ONCE else 0.0

    def _at_last(self) -> None:
        with self._lock:
            self._later, self._due = None, 0.0
        with suppress(OSError, sqlite3.Error, StoreCorruptError):
            if self._file.is_file():
                with self._opened() as db:
                    self.after_write(db)


def broken_seal(db: sqlite3.Connection, file: Path) -> str:
    """Return how database and seal differ, or "" if they agree or the file was written since. Raises sqlite3.Error."""
    try:
        data = strip_checksum(file.with_name(file.name + SEAL).read_bytes())
        seal = json.loads(data) if data is not None else {}
        writes, checksum = int(seal["writes"]), str(seal["crc32"])
    except FileNotFoundError:
        return ""
    except (OSError, ValueError, KeyError, TypeError):
        return f"its seal {file.name}{SEAL} is not what was written"
    now, found = _image(db)
    if now < writes:
        return f"it has {now} writes and was sealed after {writes}: the last ones are lost"
    return "it is not what was written" if (now, bool(found)) == (writes, True) and found != checksum else ""


def _image(db: sqlite3.Connection) -> tuple[int, str]:
    """Return how often a database was written and the CRC-32 of all its pages, both of the same moment.

    The checksum of a large database is "".
    """
    db.execute("BEGIN")
    try:
        there = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'written'").fetchone()
        row = db.execute("SELECT times FROM written").fetchone() if there else None
        (pages,), (size,) = (db.execute(f"PRAGMA {what}").fetchone() for what in ("page_count", "page_size"))
        checksum = f"{zlib.crc32(db.serialize()):08x}" if pages * size <= SEALED else ""
    finally:
        db.execute("COMMIT")
    return int(row[0]) if row else 0, checksum


def open_to_read(
    path: Path, *, table: str = "sqlite_master", whole: bool = False, check_same_thread: bool = True
) -> sqlite3.Connection:
    """Open a file with a write-ahead log for reading.

    In a read-only folder the file is opened as it is, and with ``whole`` only if the log is empty. Raises
    sqlite3.OperationalError.
    """
    uri, log = path.absolute().as_uri(), path.with_name(f"{path.name}-wal")
    logged = _size(log) > 0
    for mode in ("mode=ro",) if whole and logged else ("mode=ro", "mode=ro&immutable=1"):
        db = sqlite3.connect(
            f"{uri}?{mode}", uri=True, timeout=60, isolation_level=None, check_same_thread=check_same_thread
        )
        try:
            db.execute(f"SELECT count(*) FROM {table}").fetchone()
        except sqlite3.OperationalError as e:
            db.close()
            if e.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise  # as it stands it is being written to
            failure = e
        except BaseException:
            db.close()
            raise
        else:
            return db
    raise failure
