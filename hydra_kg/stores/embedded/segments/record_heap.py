"""Heaps of records in a load being written: the records in one file, and the offset of each row's record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids
from hydra_kg.errors import StoreError
from hydra_kg.stores.embedded.segments.array_folder import CHUNK, ArrayWriter, FolderWriter

_NARROW: Final = 1 << 32


class RecordOffsets:
    """Writes where the record of each row begins, and at the end where the last one ends.

    Rows without a record have an empty one.
    """

    def __init__(self, out: FolderWriter, name: str) -> None:
        self._out, self._name = out, name
        self._array: ArrayWriter | None = None
        self._end = 0
        self.next = 0
        """The first row whose offset is not written."""

    def begin(self, start: int) -> ArrayWriter:
        """Return the array, made now if there is none yet. The first record begins at ``start``."""
        if self._array is None:
            self._array, self._end = self._out.array(self._name, np.uint32), start
        return self._array

    def add(self, rows: Ids, ends: npt.NDArray[np.int64], start: int) -> None:
        """Add the records of some rows.

        Args:
            rows: positions, ascending.
            ends: where each record ends.
            start: where the first record begins.
        """
        if not len(rows):
            return
        array = self.begin(start)
        if int(rows[0]) < self.next or (rows[1:] <= rows[:-1]).any():
            raise _out_of_order()
        if int(ends[-1]) >= _NARROW and array.dtype.itemsize < 8:
            array.widen(np.uint64)
        before = np.concatenate(([self._end], ends))
        while self.next <= int(rows[-1]):
            low = self.next
            self.next = min(low + CHUNK, int(rows[-1]) + 1)
            # A row's offset is where the last record before it ends.
            array.append(before[np.searchsorted(rows, np.arange(low, self.next))])
        self._end = int(ends[-1])

    def finish(self, total: int) -> None:
        """Write the remaining rows up to ``total``, if the array was begun."""
        if self.next > total:
            raise _out_of_order()
        if self._array is None:
            return
        for low in range(self.next, total + 1, CHUNK):
            self._array.append(np.full(min(CHUNK, total + 1 - low), self._end))
        self._out.done(self._array)


class TextHeap:
    """Writes texts one after the other to ``<name>s.bin``, and where each row's text is to ``<name>_off``."""

    def __init__(self, out: FolderWriter, name: str) -> None:
        self._out = out
        self._file = out.file(f"{name}s.bin")
        self._offsets = RecordOffsets(out, f"{name}_off")
        self._offsets.begin(0)
        self._size = 0

    def add(self, rows: Ids, texts: Sequence[str]) -> None:
        """Append the texts of some rows. The rows must ascend."""
        block = "".join(texts).encode("utf-8", "surrogatepass")
        sizes = np.fromiter(map(len, texts), np.int64, len(texts))
        if len(block) != sizes.sum():
            sizes = np.fromiter((len(t.encode("utf-8", "surrogatepass")) for t in texts), np.int64, len(texts))
        self._file.write(block)
        self._offsets.add(rows, self._size + np.cumsum(sizes), 0)
        self._size += len(block)

    def finish(self, total: int) -> None:
        """Finish with ``total`` rows. Rows without a text have an empty one."""
        self._out.done(self._file)
        self._offsets.finish(total)


def _out_of_order() -> StoreError:
    return StoreError("The stage's texts or details are not in order.", remedy="Please report this as a bug.")
