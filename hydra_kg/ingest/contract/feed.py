"""Feeds lines of files to the bulk reader: decompressed, counted, and without bytes that it cannot take.

DuckDB's CSV reader breaks lines at bare carriage returns, splits them at its delimiter, and stops at bytes that are
not UTF-8; it reads a compressed file or a pipe with one thread. So a thread of our own decompresses, and writes clean
pieces of some megabytes that DuckDB reads with all its threads while the next one is made: *one line for every line
of the input*, so that row number is line number. Lines that it must not see are set aside in a file, each with its
number, and leave a :data:`GAP` in their place. Memory and disk are bounded by a few pieces whatever the input.
"""

from __future__ import annotations

import itertools
import queue
import struct
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
import numpy.typing as npt

from hydra_kg.errors import LoadError
from hydra_kg.ingest.formats.archives import BLOCK, Count, chunks
from hydra_kg.util.fast_dataclass import dataclass

__all__ = [
    "ASIDE_BYTES",
    "BLOCK",
    "GAP",
    "MARK",
    "MAX_LINE",
    "PIECE",
    "Aside",
    "Feed",
    "Progress",
    "asides",
    "chunks",
    "whole_lines",
    "write_aside",
]

GAP: Final = b"\x02"
"""The text that replaces a line that was set aside."""

MARK: Final = "\x03"
"""The character that replaces the spaces between the terms of a line, if that is asked for."""

MAX_LINE: Final = 1 << 20
"""Maximum length of a line in bytes. The longest known line of the Freebase dump has a tenth of that."""

PIECE: Final = 32 << 20
"""Size of a piece in bytes: large enough for several threads, small enough for an early start."""

ASIDE_BYTES: Final = 4096
"""Number of bytes shown of a line that cannot be repaired because it is too long, holds NUL or is not UTF-8."""

_FATAL: Final = {1: "encoding", 2: "nul", 3: "too-long"}
_REASONS: Final = {reason: number for number, reason in _FATAL.items()}
_ODD: Final = 0
_RECORD: Final = struct.Struct("<QBI")
_STRETCH: Final = 1 << 14  # bytes decoded at once; of longer texts with wide characters each byte takes longer
_LINE_FEED: Final = 0x0A
_SPACE: Final = 0x20
_DOT: Final = 0x2E
_ODD_BYTES: Final = (b"\x01", b"\x02", b"\r")

Progress = Callable[[int, int, int], None]
"""A callback that gets the bytes read, the bytes decompressed and the lines so far."""


@dataclass(frozen=True, slots=True)
class Aside:
    """A line that is not fed to the bulk reader.

    It has its number from 1 over all files, its bytes, and a reason if it is lost.
    """

    line: int
    reason: str
    data: bytes


class Feed:
    """One pass over files, by :meth:`blocks` or, in a thread, by :meth:`pieces`.

    Args:
        marked: Whether to mark triples as the function :func:`mark_separators` does.
        read: The function that reads a file.
        first: Whether reading starts at the beginning of the first file.
    """

    def __init__(
        self,
        files: Sequence[Path],
        aside: Path,
        *,
        limit: int = 0,
        max_line: int = MAX_LINE,
        marked: bool = False,
        progress: Progress | None = None,
        read: Callable[[Path, Count], Iterator[bytes]] = chunks,
        first: bool = True,
    ) -> None:
        self.lines: list[int] = []
        """The number of lines of each file, complete once all blocks were taken."""
        self._files, self._aside_path, self._progress = files, aside, progress
        self._limit, self._max_line, self._marked = limit or 1 << 62, max_line, marked
        self._read, self._first = read, first
        self._bytes = self._plain = self._line = 0

    def blocks(self) -> Iterator[bytes]:
        """Yield clean blocks of whole lines, each with its last line feed.

        A block has a few megabytes at most, unless it is a single line.
        """
        with self._aside_path.open("wb") as self._aside:
            for file in self._files:
                before = self._line
                try:
                    for block in self._blocks(file):
                        yield block
                        if self._progress is not None:
                            self._progress(self._bytes, self._plain, self._line)
                except LoadError as e:  # a damaged archive
                    here = self._line - before
                    raise LoadError(
                        f"{e.args[0]} The last whole line is number {here:,}.",
                        remedy="Get the file again; nothing of it was loaded."
                        + (f" To load the lines before that: --limit {self._line}." if here else ""),
                    ) from e
                self.lines.append(self._line - before)
                if self._line >= self._limit:
                    break

    def pieces(self, folder: Path) -> Iterator[Path]:
        """Yield the blocks as files of about :data:`PIECE` bytes. Each is removed when the next one is requested."""
        for piece, _ in self.numbered(folder):
            yield piece

    def numbered(self, folder: Path) -> Iterator[tuple[Path, int]]:
        """Yield the same files as :meth:`pieces`, each with the number of its first line from 1."""
        ready: queue.Queue[tuple[Path, int] | BaseException | None] = queue.Queue(1)
        stop = threading.Event()

        def put(item: tuple[Path, int] | BaseException | None) -> None:
            while not stop.is_set():
                try:
                    ready.put(item, timeout=0.1)
                    return
                except queue.Full:
                    continue

        def run() -> None:
            try:
                for piece in self._piece_files(folder, stop):
                    put(piece)
                put(None)
            except BaseException as e:  # raised again where the pieces are taken
                put(e)

        thread = threading.Thread(target=run, name="hydra-kg feed", daemon=True)
        thread.start()
        try:
            while (piece := ready.get()) is not None:
                if isinstance(piece, BaseException):
                    raise piece
                yield piece
                piece[0].unlink(missing_ok=True)  # whoever takes it may have moved it
        finally:
            stop.set()
            thread.join()
            for left in folder.glob("piece-*"):
                left.unlink()

    def set_aside(self) -> Iterator[Aside]:
        """Return the lines that were set aside, in ascending order. Call this when all blocks were taken."""
        return asides(self._aside_path)

    def _piece_files(self, folder: Path, stop: threading.Event) -> Iterator[tuple[Path, int]]:
        """Yield (file, number of its first line) for each piece."""
        blocks = self.blocks()
        for number in itertools.count():
            path, size, first = folder / f"piece-{number}", 0, self._line + 1
            with path.open("wb", buffering=0) as out:
                while size < PIECE and (block := next(blocks, b"")) and not stop.is_set():
                    _write(out, block)
                    size += len(block)
            if not size or stop.is_set():
                path.unlink()
                return
            yield path, first

    def _blocks(self, file: Path) -> Iterator[bytes]:
        data = self._read(file, self._count)
        for block in whole_lines(_strip_byte_order_mark(data) if self._first else data, self._max_line):
            clean = self._clean(block)
            yield mark_separators(clean) if self._marked else clean
            if self._line >= self._limit:
                return

    def _count(self, read: int, plain: int) -> None:
        self._bytes += read
        self._plain += plain

    def _clean(self, block: bytes) -> bytes:
        """Return the block with a gap for every line that the reader must not see.

        Lines are counted, and lines over the limit are left out.
        """
        if b"\r" in block:
            block = block.replace(b"\r\n", b"\n")
        ends = np.flatnonzero(np.frombuffer(block, np.uint8) == _LINE_FEED)
        if self._line + len(ends) > self._limit:
            ends = ends[: self._limit - self._line]
            block = block[: int(ends[-1]) + 1] if len(ends) else b""
        bad = self._bad(block, ends)
        if bad:
            block = self._replace(block, bad)
        self._line += len(ends)
        return block

    def _bad(self, block: bytes, ends: npt.NDArray[np.int64]) -> dict[int, int]:
        """Map the start of each line to be set aside to the reason. ``ends`` has the places of the line feeds."""
        bad: dict[int, int] = {}
        odd = (*_ODD_BYTES, MARK.encode()) if self._marked else _ODD_BYTES
        for byte, why in ((b"\x00", 2), *((b, _ODD) for b in odd)):
            at = block.find(byte)
            while at >= 0:
                bad.setdefault(block.rfind(b"\n", 0, at) + 1, why)
                at = block.find(byte, block.index(b"\n", at))
        if not block.isascii():
            view, at = memoryview(block), 0
            while at < len(block):
                end = block.find(b"\n", at + _STRETCH) + 1 or len(block)
                try:
                    str(view[at:end], "utf-8")
                    at = end
                except UnicodeDecodeError as e:
                    wrong = at + e.start
                    bad[block.rfind(b"\n", 0, wrong) + 1] = 1
                    at = block.index(b"\n", wrong) + 1
        length = np.diff(ends, prepend=-1) - 1
        for end in ends[length == 0].tolist():
            bad.setdefault(end, _ODD)
        long = length > self._max_line
        for end, size in zip(ends[long].tolist(), length[long].tolist(), strict=True):
            bad[end - size] = 3
        return bad

    def _replace(self, block: bytes, bad: dict[int, int]) -> bytes:
        parts: list[bytes] = []
        done, ends = 0, self._line
        for start in sorted(bad):
            end = block.index(b"\n", start)
            before = block[done:start]
            ends += before.count(b"\n")
            parts += (before, GAP)
            data = block[start : end if bad[start] == _ODD else min(end, start + ASIDE_BYTES)]
            write_aside(self._aside, Aside(ends + 1, _FATAL.get(bad[start], ""), data))
            done = end
        parts.append(block[done:])
        return b"".join(parts)


def write_aside(out: BinaryIO, aside: Aside) -> None:
    """Write a line that was set aside to a file."""
    out.write(_RECORD.pack(aside.line, _REASONS.get(aside.reason, _ODD), len(aside.data)) + aside.data)


def asides(path: Path) -> Iterator[Aside]:
    """Yield the lines that :func:`write_aside` wrote to a file."""
    with path.open("rb") as f:
        while head := f.read(_RECORD.size):
            line, reason, length = _RECORD.unpack(head)
            yield Aside(line, _FATAL.get(reason, ""), f.read(length))


def mark_separators(block: bytes) -> bytes:
    """Replace the first two spaces and the one before the final dot by :data:`MARK` in each line that has all three."""
    data = np.frombuffer(bytearray(block), np.uint8)
    breaks = np.flatnonzero((data == _SPACE) | (data == _LINE_FEED))
    last = np.flatnonzero(data[breaks] == _LINE_FEED)
    first = np.concatenate((np.zeros(1, np.int64), last + 1))[:-1]  # of the breaks in each line
    some = last - first >= 3
    first, last = first[some], last[some]
    dot = breaks[last] - 1
    some = (breaks[last - 1] == dot - 1) & (data[dot] == _DOT)
    first, last = first[some], last[some]
    for one in (first, first + 1, last - 1):
        data[breaks[one]] = ord(MARK)
    return data.tobytes()


def whole_lines(data: Iterable[bytes], max_line: int) -> Iterator[bytes]:
    """Yield blocks of whole lines. Longer lines are cut to ``max_line`` + 1 bytes."""
    rest = b""
    skipping = False
    for chunk in data:
        if skipping:  # inside a line that is already too long
            end = chunk.find(b"\n")
            if end < 0:
                continue
            chunk, skipping = chunk[end + 1 :], False
        cut = chunk.rfind(b"\n") + 1
        if cut:
            block, rest = rest + chunk[:cut], chunk[cut:]
            yield block
            continue
        rest += chunk
        if len(rest) > max_line:
            yield rest[: max_line + 1] + b"\n"
            rest, skipping = b"", True
    if rest:
        yield rest + b"\n"


def _strip_byte_order_mark(data: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the data without a byte order mark at the beginning."""
    yield next(data, b"").removeprefix(b"\xef\xbb\xbf")
    yield from data


def _write(out: BinaryIO, block: bytes) -> None:
    view = memoryview(block)
    while view:
        view = view[out.write(view) :]
