"""Many texts as one array of bytes, decoded one by one when somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any, Final, overload

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_PAGE: Final = 20_000
_FACTOR: Final = 0x9E3779B97F4A7C15
_INVERSE: Final = pow(_FACTOR, -1, 1 << 64)
_ALL: Final = (1 << 64) - 1
_MARKS: Final = (np.arange(1, 257, dtype=np.uint64) * np.uint64(0xBF58476D1CE4E5B9)) ** np.uint64(3)
"""A number for each byte. A text's hash is the sum of those of its bytes, each times a power of the factor."""
_NUMBERS: Final = _MARKS.tolist()


class TextColumn(Sequence[str]):
    """Texts in UTF-8, one behind the other: ``heap``, and where each of the n begins and ends: ``off`` (n + 1)."""

    __slots__ = ("heap", "off")

    def __init__(self, heap: bytes, off: Ids) -> None:
        self.heap, self.off = heap, off

    @classmethod
    def encode(cls, texts: Iterable[str]) -> TextColumn:
        """Return the column of some texts."""
        heaps, lengths, rest = list[bytes](), [np.zeros(1, np.int64)], iter(texts)
        while page := [text.encode("utf-8", "surrogatepass") for text in islice(rest, _PAGE)]:
            heaps.append(b"".join(page))
            lengths.append(np.fromiter(map(len, page), np.int64, len(page)))
        return cls(b"".join(heaps), np.cumsum(np.concatenate(lengths)))

    @classmethod
    def cut(cls, heap: npt.NDArray[np.uint8], starts: Ids, ends: Ids) -> TextColumn:
        """Return the column of pieces of other bytes."""
        off = np.append(0, np.cumsum(ends - starts))
        pages = []
        for at in range(0, len(starts), _PAGE):
            low, length = starts[at : at + _PAGE], off[at : at + _PAGE + 1]
            shift = np.repeat(low - length[:-1], np.diff(length))
            pages.append(heap[shift + np.arange(length[0], length[-1])].tobytes())
        return cls(b"".join(pages), off)

    def __len__(self) -> int:
        return len(self.off) - 1

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[n] for n in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        at %= len(self)
        return self.heap[self.off[at] : self.off[at + 1]].decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        return (text.decode("utf-8", "surrogatepass") for text in self.raw())

    def __add__(self, other: TextColumn) -> TextColumn:
        return TextColumn(self.heap + other.heap, np.append(self.off, other.off[1:] + len(self.heap)))

    def raw(self) -> Iterator[bytes]:
        """Yield the texts in UTF-8."""
        for at in range(0, len(self), _PAGE):
            yield from [self.heap[a:b] for a, b in pairwise(self.off[at : at + _PAGE + 1].tolist())]

    def take(self, rows: Ids) -> TextColumn:
        """Return some of the texts."""
        return TextColumn.cut(self.column, self.off[rows], self.off[rows + 1])

    @property
    def column(self) -> npt.NDArray[np.uint8]:
        """Return the heap as an array."""
        return np.frombuffer(self.heap, np.uint8)

    def find(self, mark: bytes) -> Ids:
        """Return where each text has a mark first, from the beginning of the heap; -1 for a text without it."""
        heap, last = self.column, len(self.heap) - len(mark) + 1
        same = np.ones(max(last, 0), np.bool_)
        for n, byte in enumerate(mark):
            same &= heap[n : last + n] == byte
        at = np.append(np.flatnonzero(same), len(self.heap))
        first = at[np.searchsorted(at, self.off[:-1])]
        return np.where(first + len(mark) <= self.off[1:], first, -1)

    def has(self, mark: bytes) -> Mask:
        """Return which texts have a mark."""
        return self.find(mark) >= 0

    def equals(self, other: TextColumn) -> Mask:
        """Return which texts are those of another column at the same place."""
        same: Mask = np.diff(self.off) == np.diff(other.off)
        rows = np.flatnonzero(same)
        same[rows] = [a == b for a, b in zip(self.take(rows).raw(), other.take(rows).raw(), strict=True)]
        return same

    def bytes_at(self, place: int) -> npt.NDArray[np.uint8]:
        """Return the byte at a place of each text, 0 for a shorter one."""
        heap = np.append(self.column, np.uint8(0))
        at = np.where(np.diff(self.off) > place, self.off[:-1] + place, len(self.heap))
        return heap[at]

    def hashes(self) -> npt.NDArray[np.uint64]:
        """Return a number for each text, which is the same for the same text."""
        pages = [np.zeros(0, np.uint64)]
        for at in range(0, len(self), _PAGE):
            off = self.off[at : at + _PAGE + 1]
            pages.append(hash_pieces(self.heap[off[0] : off[-1]], off[:-1] - off[0], off[1:] - off[0]))
        return np.concatenate(pages)


def hash_pieces(heap: bytes, starts: Ids, ends: Ids) -> npt.NDArray[np.uint64]:
    """Return a number for each piece of some bytes, which is the same for the same text."""
    weighed = _MARKS[np.frombuffer(heap, np.uint8)] * np.cumprod(np.full(len(heap), _FACTOR, np.uint64))
    sums = np.append(np.zeros(1, np.uint64), np.cumsum(weighed))
    back = np.append(np.ones(1, np.uint64), np.cumprod(np.full(len(heap), _INVERSE, np.uint64)))
    found: npt.NDArray[np.uint64] = (sums[ends] - sums[starts]) * back[starts]
    return found


def hash_text(text: str) -> int:
    """Return the number that :func:`hash_pieces` gives to a text."""
    total, power = 0, 1
    for byte in text.encode("utf-8", "surrogatepass"):
        power = power * _FACTOR & _ALL
        total += _NUMBERS[byte] * power
    return total & _ALL
