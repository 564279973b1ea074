"""DuckDB files that store a load temporarily on its way to or from a server: their limits and their errors."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hydra_kg.errors import DiskFullError, StoreError
from hydra_kg.text.quoting import sql_text

if TYPE_CHECKING:
    import duckdb

MEMORY: Final = "1GB"
THREADS: Final = 2


def configure(db: duckdb.DuckDBPyConnection, scratch: Path) -> None:
    """Set the limits that apply to every such connection."""
    db.execute(f"SET memory_limit = '{MEMORY}'")
    db.execute(f"SET threads = {THREADS}")
    db.execute(f"SET temp_directory = {sql_text(str(scratch / 'spill'))}")
    db.execute("SET enable_progress_bar = false")


@contextmanager
def faults(folder: Path) -> Iterator[None]:
    """Raise DiskFullError or StoreError for errors of DuckDB or the system in the block."""
    import duckdb

    try:
        yield
    except (duckdb.Error, OSError) as e:
        if "No space left" in str(e) or getattr(e, "errno", None) == errno.ENOSPC:
            raise DiskFullError(
                f"The disk of {folder} is full.",
                remedy="Free space, then run the same command again; the store is as it was.",
            ) from e
        raise StoreError(f"The files of the import could not be written: {e}", remedy="The store is as it was.") from e
