"""DuckDB files that store a load on its way to or from a server: their limits, errors, and a checksum of contents."""

from __future__ import annotations

import errno
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from hydra_kg.errors import DiskFullError, StoreError
from hydra_kg.text.quoting import sql_text

if TYPE_CHECKING:
    import duckdb


MEMORY: Final = "1GB"
THREADS: Final = 2
_FACTS: Final = (("s", np.int64), ("p", np.int64), ("o", np.int64), ("line", np.uint64), ("source", np.uint16))


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


class Digest:
    """One running CRC-32 per column. Streams must come in the stage's order."""

    def __init__(self) -> None:
        self._sums: dict[str, int] = {}

    def facts(self, stream: str, batch: Mapping[str, npt.NDArray[Any]]) -> None:
        """Add a batch of links or values."""
        size = len(batch["s"])
        for name, dtype in _FACTS:
            column = batch.get(name)
            here = np.zeros(size, dtype) if column is None else np.asarray(column).astype(dtype, copy=False)
            self._add(f"{stream} {name}", np.ascontiguousarray(here).data)

    def rows(self, stream: str, rows: Iterable[Sequence[Any]]) -> None:
        """Add rows of any other stream."""
        text = "".join("\x1f".join(map(str, row)) + "\x1e" for row in rows)
        self._add(stream, text.encode("utf-8", "surrogatepass"))

    def hex(self) -> str:
        """Return the checksum as 16 hexadecimal digits."""
        return hashlib.sha256(repr(sorted(self._sums.items())).encode()).hexdigest()[:16]

    def _add(self, name: str, data: Any) -> None:
        if len(data):
            self._sums[name] = zlib.crc32(data, self._sums.get(name, 0))
