"""Turns the system's errors for a full disk into DiskFullError, for everything that writes into a store."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hydra_kg.errors import DiskFullError
from hydra_kg.util.sidecar_db import is_full


@contextmanager
def disk_errors(path: Path, doing: str) -> Iterator[None]:
    """Raise DiskFullError if a full disk, a quota or a limit on file sizes stops the block."""
    try:
        yield
    except (OSError, sqlite3.OperationalError) as e:
        if not is_full(e):
            raise
        raise _full(path, doing, e) from e


def free_bytes(path: Path) -> int:
    """Return the free bytes of the file system that contains ``path``."""
    return shutil.disk_usage(path).free


def folder_bytes(path: Path) -> int:
    """Return the bytes of all files below a folder. Files that vanish meanwhile count as 0."""
    total = 0
    for file in path.rglob("*"):
        try:
            total += file.stat().st_size if file.is_file() else 0
        except OSError:
            continue
    return total


def remove(path: Path) -> None:
    """Remove a file, or a folder with everything in it. A missing path is no error."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _full(path: Path, doing: str, cause: BaseException) -> DiskFullError:
    return DiskFullError(
        f"No space left while {doing} ({cause}).",
        remedy=f"Nothing of it is visible. Free space on the disk of {path} (SQLite also sorts in TMPDIR), "
        "then run the same command again.",
    )
