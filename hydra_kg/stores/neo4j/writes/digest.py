"""A checksum of a stage's contents that is independent of batch boundaries and of how the stage is written."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

_FACTS: Final = (("s", np.int64), ("p", np.int64), ("o", np.int64), ("line", np.uint64), ("source", np.uint16))


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
