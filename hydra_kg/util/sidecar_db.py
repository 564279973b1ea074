"""A small SQLite file beside a store that several processes may read and write: made by the first one that writes."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from hydra_kg.errors import StoreCorruptError


@contextmanager
def opened(
    path: Path, *, schema: str, version: int, write: bool = False, pragmas: Sequence[str] = ()
) -> Iterator[sqlite3.Connection]:
    """A connection, to read only unless ``write``; then the file is made where there is none, and ``pragmas`` are set.

    Raises StoreCorruptError for what is no such file, or one of another version, and sqlite3.OperationalError where
    there is nothing to read.
    """
    address = f"{path.absolute().as_uri()}?mode={'rwc' if write else 'ro'}"
    with closing(sqlite3.connect(address, uri=True, timeout=10)) as connection:
        try:
            (found,) = connection.execute("PRAGMA user_version").fetchone()
            if found == 0 and write:
                connection.executescript(f"BEGIN IMMEDIATE; {schema} PRAGMA user_version={version}; COMMIT;")
                found = version
            for pragma in pragmas if write else ():
                connection.execute(f"PRAGMA {pragma}")
        except sqlite3.DatabaseError as e:
            raise StoreCorruptError(f"{path} cannot be read: {e}.", remedy="Remove the file to start a new one.") from e
        if found != version:
            raise StoreCorruptError(f"{path} is of version {found}, this program knows {version}.",
                                    remedy="Use the program that wrote it, or remove the file.")  # fmt: skip
        yield connection


def sealed(data: bytes) -> bytes:
    """Bytes with their CRC-32 behind them: a bit that turns on the disk is noticed when they are read."""
    return data + zlib.crc32(data).to_bytes(4, "little")


def unsealed(blob: bytes) -> bytes | None:
    """What was sealed, or None if it is not as it was written."""
    data = blob[:-4]
    return data if len(blob) >= 4 and zlib.crc32(data) == int.from_bytes(blob[-4:], "little") else None
