"""The record of files that this user's loads have read. No other file is opened to show a cited line.

A store may come from anyone and name any file, so a name in a store is not enough to open a file.
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import sqlite3
import stat
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import HydraError
from hydra_kg.ingest.staging.spool import folder_of
from hydra_kg.settings.folders import data_folder
from hydra_kg.util.sidecar_db import open_db

FILE: Final = "loaded-files.sqlite"
_VERSION: Final = 1
_SCHEMA: Final = """
CREATE TABLE loaded (path BLOB NOT NULL, sha256 TEXT NOT NULL, opens BLOB NOT NULL,
    PRIMARY KEY (path, sha256)) WITHOUT ROWID;
CREATE TABLE verified (opens BLOB PRIMARY KEY, state TEXT NOT NULL, sha256 TEXT NOT NULL) WITHOUT ROWID;
"""
_FOLDER: Final = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

_SETTLED: Final = 2_000_000_000
"""Nanoseconds in which a file may change without getting a new time, because file systems round."""


class LoadedFiles:
    """The shared file ``loaded-files.sqlite`` in the user's data folder.

    Raises sqlite3.Error, OSError, StoreCorruptError.
    """

    def __init__(self, path: Path | None = None, *, clock: Callable[[], int] = time.time_ns) -> None:
        self.path = path if path is not None else data_folder() / FILE
        self._clock = clock

    def record(self, entries: Iterable[Mapping[str, Any]], *, states: Mapping[Path, str] | None = None) -> int:
        """Record the files of a load (``details.files``). Return how many have a folder.

        ``states`` maps each path to its state before its checksum was computed, which saves reading it again.
        """
        rows, known = [], []
        for entry in entries:
            if (path := _path_of(entry)) is None:
                continue
            sha256, opens = str(entry["sha256"]), path.resolve()
            rows.append((os.fsencode(path), sha256, os.fsencode(opens)))
            if states and (state := states.get(opens)):
                known.append((os.fsencode(opens), state, sha256))
        if rows:
            with self._writing() as db:
                db.executemany("INSERT OR REPLACE INTO loaded VALUES (?, ?, ?)", rows)
                db.executemany("INSERT OR REPLACE INTO verified VALUES (?, ?, ?)", known)
        return len(rows)

    def find(self, entry: Mapping[str, Any]) -> Path | None:
        """Return the path of a load's file (folder, name, sha256), or None if no load of this user read it."""
        with self._reading() as db:
            path = _path_of(entry)
            if db is None or path is None:
                return None
            row = db.execute(
                "SELECT opens FROM loaded WHERE (path, sha256) = (?, ?)", (os.fsencode(path), str(entry["sha256"]))
            ).fetchone()
        return Path(os.fsdecode(row[0])) if row else None

    def unknown(self, entries: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the entries that have a folder and are not in the record."""
        return [dict(entry) for entry in entries if _path_of(entry) is not None and self.find(entry) is None]

    def checksum(self, path: Path, state: str) -> str:
        """Return the SHA-256 that was computed for a file in its present state, or ""."""
        with self._reading() as db:
            if db is None:
                return ""
            row = db.execute(
                "SELECT sha256 FROM verified WHERE (opens, state) = (?, ?)", (os.fsencode(path), state)
            ).fetchone()
        return str(row[0]) if row else ""

    def remember(self, path: Path, about: os.stat_result, sha256: str) -> None:
        """Store a file's checksum until the file changes, unless it changed a moment ago.

        A write that fails only costs time.
        """
        if not is_settled(about, now=self._clock()):
            return
        with contextlib.suppress(sqlite3.Error, OSError), self._writing() as db:
            db.execute("INSERT OR REPLACE INTO verified VALUES (?, ?, ?)", (os.fsencode(path), state_of(about), sha256))

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection | None]:
        if not self.path.is_file():
            yield None
            return
        with open_db(self.path, schema=_SCHEMA, version=_VERSION) as db:
            yield db

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open_db(self.path, schema=_SCHEMA, version=_VERSION, write=True) as db, db:
            yield db


def _path_of(entry: Mapping[str, Any]) -> Path | None:
    """Return the path of a file that a load names.

    It is None without a folder or a checksum, or if the name is not a plain one.
    """
    folder, name, sha256 = (str(entry.get(key) or "") for key in ("folder", "name", "sha256"))
    if not folder.startswith("/") or not sha256 or name in ("", ".", "..") or "/" in name or "\0" in folder + name:
        return None
    try:
        os.fsencode(folder + name)
    except UnicodeEncodeError:
        return None
    return Path(folder) / name


def files_of(loads: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the file entries of all loads, as :meth:`hydra_kg.ports.Store.loads` gives them."""
    found = []
    for load in loads:
        files = (load.get("details") or {}).get("files")
        found += [dict(file) for file in files or () if isinstance(file, Mapping)]
    return found


def get_settled_states(files: Iterable[Path]) -> dict[Path, str]:
    """Return each resolved path's state before its checksum was computed.

    Files that changed so recently that a further change would not be noticed are left out.
    """
    states = {}
    for file in files:
        about = file.stat()
        if is_settled(about, now=time.time_ns()):
            states[file.resolve()] = state_of(about)
    return states


def remember_loaded(
    files: Sequence[Path], sums: Sequence[str], states: Mapping[Path, str], *, fetched: Container[Path] = ()
) -> None:
    """Record a load's files, except ``fetched`` downloads, as this user's; warn if that fails."""
    entries = [
        {"folder": folder_of(file), "name": file.name, "sha256": sha256}
        for file, sha256 in zip(files, sums, strict=True)
        if file not in fetched
    ]
    try:
        LoadedFiles().record(entries, states=states)
    except (HydraError, OSError, sqlite3.Error) as e:
        logging.getLogger("hydra_kg").warning(
            "The files of this load could not be recorded, so cited lines will not be shown: %s. Make %s writable, "
            "then run hydra-kg sources trust.",
            str(e).partition("\n")[0],
            data_folder(),
        )


def open_plain_file(path: Path) -> int:
    """Open a regular file at an absolute path without links or ``..``; return its descriptor.

    Raises OSError: ELOOP for links, EINVAL for other files.
    """
    if not path.is_absolute() or ".." in path.parts:
        raise OSError(errno.EINVAL, "The path is not absolute", str(path))
    folder = os.open(path.anchor, _FOLDER)
    try:
        for part in path.parts[1:-1]:
            _refuse_link(part, folder)
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        _refuse_link(path.name, folder)
        if not stat.S_ISREG(os.stat(path.name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise OSError(errno.EINVAL, "Not a regular file", str(path))
        file = os.open(path.name, _FILE, dir_fd=folder)
    finally:
        os.close(folder)
    if not stat.S_ISREG(os.fstat(file).st_mode):  # replaced after the check
        os.close(file)
        raise OSError(errno.EINVAL, "Not a regular file", str(path))
    return file


def descriptor_path(file: int) -> Path:
    """Return a path that opens the file of a descriptor, even if its name has been given to another file."""
    return Path(f"/proc/self/fd/{file}" if Path("/proc/self/fd").is_dir() else f"/dev/fd/{file}")


def state_of(about: os.stat_result) -> str:
    """Return a text that changes with a file: device, inode, size and both times. Programs cannot set ``ctime``."""
    return f"{about.st_dev}:{about.st_ino}:{about.st_size}:{about.st_mtime_ns}:{about.st_ctime_ns}"


def is_settled(about: os.stat_result, *, now: int) -> bool:
    """Return True if a change after ``now`` (nanoseconds) would show in :func:`state_of`."""
    return max(about.st_mtime_ns, about.st_ctime_ns) + _SETTLED < now


def _refuse_link(name: str, folder: int) -> None:
    if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        raise OSError(errno.ELOOP, "A link", name)
