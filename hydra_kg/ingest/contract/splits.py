"""Ranges of files that an engine reads separately and that are put in order again.

A line belongs to the range in which it starts. Plain files are cut at any byte and bzip2 files at their blocks. A file
that is compressed otherwise is one range of bounded size.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final

from hydra_kg.errors import HydraError, LoadError, UsageError
from hydra_kg.ingest.contract.choices import SHARED_DISK, Engine
from hydra_kg.ingest.contract.feed import Aside, Feed, asides, write_aside
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ingest.formats.archives import BLOCK, Count, chunks, compression, read_blocks, skip_empty
from hydra_kg.util.fast_dataclass import dataclass, field

PLAIN: Final = 64 << 20
"""Size of a range of a plain file in bytes."""

PACKED: Final = 8 << 20
"""Size of a range of a bzip2 file in bytes."""

WHOLE: Final = 256 << 20
"""Size in bytes of the largest file that one executor reads in one piece."""

Make = Callable[[Path, Path, int], tuple[Any, Mapping[str, int]]]
"""A function of (piece, scratch path, number of its first line in the range) that makes a picklable result and counts.
"""


@dataclass(frozen=True, slots=True)
class Split:
    """A range of a file.

    Attributes:
        number: The number of the range over all files.
        file: The place of the file.
        size: The size of the whole file.
        packed: How the file is compressed, or "".
    """

    number: int
    file: int
    path: Path
    start: int
    stop: int
    size: int
    packed: str

    def chunks(self, count: Count) -> Iterator[bytes]:
        """Yield the decompressed bytes of the range's lines, the last line whole. Raises LoadError."""
        try:
            size = self.path.stat().st_size
        except OSError as e:
            raise self._refused("cannot be read by an executor") from e
        if size != self.size:
            raise self._refused("is another file where an executor reads it")
        if self.packed not in {"", "bzip2"} or (self.start, self.stop) == (0, self.size):
            return chunks(self.path, count)
        return self._lines(count)

    def _refused(self, why: str) -> LoadError:
        return LoadError(f"{self.path} {why}.", remedy=SHARED_DISK)

    def _lines(self, count: Count) -> Iterator[bytes]:
        """Yield the whole lines that begin in the range."""
        with self.path.open("rb") as f:
            units = self._plain(f)
            if self.packed:
                units = skip_empty(
                    read_blocks(f, self.start, name=self.path.name), self.path, text=lambda unit: unit[1]
                )
            inside = self.start == 0  # whether a line of ours has begun
            for at, data in units:
                count(0, len(data))
                if not inside:  # this line began in the range before
                    if at >= self.stop:
                        return
                    end = data.find(b"\n") + 1
                    inside, data = end > 0, data[end:] if end else b""
                elif at >= self.stop and (end := data.find(b"\n") + 1):
                    yield data[:end]
                    return
                if data:
                    yield data
        count(self.stop - self.start, 0)

    def _plain(self, f: BinaryIO) -> Iterator[tuple[int, bytes]]:
        """Yield (place, bytes), cut at the end of the range."""
        f.seek(self.start)
        at = self.start
        while data := f.read(min(BLOCK, self.stop - at) if at < self.stop else BLOCK):
            yield at, data
            at += len(data)


def splits(files: Sequence[Path]) -> list[Split]:
    """Return the ranges of files in order. Raises UsageError for a large file that cannot be cut."""
    found: list[Split] = []
    for number, path in enumerate(files):
        size = path.stat().st_size
        with path.open("rb") as f:
            kind = compression(f.read(16))
        step = {"": PLAIN, "bzip2": PACKED}.get(kind, max(size, 1))
        if step > WHOLE:
            raise UsageError(
                f"{path.name} is packed with {kind}, which cannot be read from its middle: one executor would have to"
                " read all of it.",
                remedy="Unpack it, pack it with bzip2, or write it as files of up to 256 MB; or leave --engine out.",
            )
        for start in range(0, size, step):
            found.append(Split(len(found), number, path, start, min(start + step, size), size, kind))
    return found


@dataclass(frozen=True, slots=True)
class RangeResult:
    """The result of one piece of a range or, after the last piece, the lines of the range that were set aside."""

    split: Split
    lines: int = 0
    made: Any = None
    counts: Mapping[str, int] = field(default_factory=dict)
    aside: tuple[Aside, ...] = ()
    error: tuple[str, str] | None = None


def read_range(split: Split, *, make: Make, max_line: int, marked: bool) -> Iterator[RangeResult]:
    """Read a range on the machine that runs it, and hand each piece of clean lines to ``make``."""
    try:
        with tempfile.TemporaryDirectory(prefix="hydra-kg-") as scratch:
            folder = Path(scratch)
            feed = Feed(
                [split.path],
                folder / "aside.bin",
                max_line=max_line,
                marked=marked,
                read=lambda _, count: split.chunks(count),
                first=split.start == 0,
            )
            for piece, first in feed.numbered(folder):
                made, counts = make(piece, folder / "made", first)
                with piece.open("rb") as f:
                    lines = sum(data.count(b"\n") for data in iter(partial(f.read, BLOCK), b""))
                yield RangeResult(split, lines, made, counts)
            yield RangeResult(split, aside=tuple(feed.set_aside()))
    except HydraError as e:  # an error of ours would lose its remedy on the way
        yield RangeResult(split, error=(str(e.args[0]), e.remedy))


class EngineFeed:
    """The results of all ranges from an engine.

    Iterate over it for (result, counts, number of lines before its range). Afterwards it has the lines per file and the
    lines set aside, like a :class:`Feed`. Raises LoadError.
    """

    def __init__(
        self,
        work: Work,
        engine: Engine,
        make: Make,
        *,
        max_line: int,
        marked: bool = False,
        files: Sequence[Path] | None = None,
    ) -> None:
        files = work.files if files is None else files
        self.lines = [0] * len(files)
        self._aside, self._progress = work.folder / "aside.bin", work.progress()
        do = partial(read_range, make=make, max_line=max_line, marked=marked)
        found = splits(files)
        for name in sorted({split.path.name for split in found if split.packed not in {"", "bzip2"}}):
            work.emit("load.unsplit", {"file": name})
        self._parts = engine.run(do, found)

    def __iter__(self) -> Iterator[tuple[Any, Mapping[str, int], int]]:
        before = current = done = 0
        with self._aside.open("wb") as out:
            for part in self._parts:
                if part.error is not None:
                    raise LoadError(part.error[0], remedy=part.error[1])
                if part.split.number != current:
                    before, current = sum(self.lines), part.split.number
                self.lines[part.split.file] += part.lines
                if part.lines:
                    yield part.made, part.counts, before
                    continue
                for one in part.aside:
                    write_aside(out, Aside(before + one.line, one.reason, one.data))
                done += part.split.stop - part.split.start
                self._progress(done, 0, sum(self.lines))

    def set_aside(self) -> Iterator[Aside]:
        """Return the lines that were set aside, like :meth:`Feed.set_aside`."""
        return asides(self._aside)
