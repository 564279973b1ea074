"""Read rows of delimited text (CSV, TSV and the like). Faulty rows are rejected, and reading never stops at one."""

from __future__ import annotations

import codecs
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from hydra_kg.errors import FormatError
from hydra_kg.ingest.contract.feed import chunks, whole_lines
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg_loaders.tables import table_headers
from hydra_kg_loaders.tables.dialect import CsvDialect, recognise
from hydra_kg_loaders.tables.table_headers import GUESS, LayoutChoice

CELL: Final = "\x1f"
"""Separator of the cells of a canonical row, which begins with its number. Rows end with a line feed."""

MANY: Final = "\x1e"
"""Separator of the values of a cell with several values."""

FEED: Final = "\x1d"
RETURN: Final = "\x1c"
"""Replacements of the line feed and the carriage return inside a cell."""

MOST_COLUMNS: Final = 2_000
MOST_LINES: Final = 10_000
"""Largest number of physical lines that one quoted cell may span."""

_CONTROL: Final = re.compile("[\x00\x1c-\x1f]")
_CONTROLS: Final = [b"\0", b"\x1c", b"\x1d", b"\x1e", b"\x1f"]
_QUOTED: Final = re.compile(r'"([^"]*+(?:""[^"]*+)*+)"')
_OPEN: Final = re.compile(r'[^"]*+(?:""[^"]*+)*+')

Reject = Callable[[int, str, int, str], None]
"""A function that is called with row, reason, position and text of a reject."""


@dataclass(slots=True)
class Counts:
    """Counts of rows (with header), blank rows and rejects.

    Attributes:
        header: The last row of the header.
        headers: The number of its rows.
        continued: The number of lines on which quoted cells continue.
    """

    rows: int = 0
    blank: int = 0
    continued: int = 0
    header: int = 0
    headers: int = 0


class PlainRows(NamedTuple):
    """Successive rows that need no reading: the number of the first, how many they are, and their cells as UTF-8.

    They are canonical rows without numbers.
    """

    first: int
    rows: int
    data: bytes


@dataclass(slots=True)
class TextRows:
    """One delimited file, read once. ``columns`` are known from the start."""

    file: Path
    dialect: CsvDialect
    columns: list[str]
    max_line: int = 1 << 20
    counts: Counts = field(default_factory=Counts)
    many: frozenset[int] = frozenset()

    def blocks(self, reject: Reject, *, limit: int = 0, start: int = 0) -> Iterator[str]:
        """Yield rows, numbered after ``start``.

        ``reject`` is called with one of these reasons: ``columns`` (with the count), ``quote``, ``encoding``, ``nul``,
        ``control``, ``too-long``, ``before-header``, ``comment``.
        """
        for part in self.parts(reject, limit=limit, start=start):
            if isinstance(part, PlainRows):
                lines = part.data.decode()[:-1].split("\n")
                yield "".join([f"{row}{CELL}{line}\n" for row, line in enumerate(lines, part.first)])
            else:
                yield part

    def parts(self, reject: Reject, *, limit: int = 0, start: int = 0) -> Iterator[str | PlainRows]:
        """Yield the same rows, those that need no reading without their numbers."""
        width, delimiter, counts = len(self.columns), self.dialect.delimiter, self.counts
        comment = self.dialect.comment
        waiting: deque[str | None] = deque()
        source = _line_blocks(self.file, self.dialect, self.max_line)
        decoded = (_decode_block(block, self.max_line) for block in source)
        out: list[str] = []
        while True:
            if not waiting:
                if out:
                    yield "".join(out)
                    out = []
                block = next(source, None)
                if block is None:
                    return
                first = start + counts.rows + 1
                if counts.header and not limit and not comment and (plain := self._plain(block, first)) is not None:
                    counts.rows += plain.rows
                    yield plain
                    continue
                waiting.extend(_decode_block(block, self.max_line))
            line = waiting.popleft()
            if limit and counts.rows >= limit:
                break
            counts.rows += 1
            row = start + counts.rows
            if line is None or line in _LOST:
                reject(row, _LOST.get(line or "", "encoding"), 0, "")
                continue
            if not line.strip():
                counts.blank += 1
                continue
            if comment and line.startswith(comment):
                reject(row, "comment", 0, line)
                continue
            if not counts.header and counts.rows <= self.dialect.above:
                reject(row, "before-header", 0, line)
                continue
            if not counts.header:
                if self.dialect.quote and '"' in line:
                    self._count(self._cells(line, waiting, decoded)[1])
                counts.headers += 1
                counts.header = counts.rows if counts.headers == self.dialect.depth else 0
                continue
            if (bad := _CONTROL.search(line)) is not None:
                reject(row, "nul" if bad[0] == "\0" else "control", bad.start(), line)
                continue
            if not self.dialect.quote or '"' not in line:
                found = line.count(delimiter) + 1
                if found == width:
                    out.append(f"{row}{CELL}{line.replace(delimiter, CELL)}\n".replace("\r", RETURN))
                    continue
                cells: list[str] | None = line.split(delimiter)
            else:
                cells, more = self._cells(line, waiting, decoded)
                self._count(more)
                if cells is None:
                    reject(row, "quote", line.find('"'), line)
                    continue
            cells = _fit_row(cells or [], width, short=self.dialect.short)
            if cells is None or any(_CONTROL.search(cell) for cell in cells):
                reject(row, "columns" if cells is None else "control", 0, line)
                continue
            out.append(f"{row}{CELL}" + CELL.join(cells).replace("\n", FEED).replace("\r", RETURN) + "\n")
        if out:
            yield "".join(out)

    def _count(self, more: int) -> None:
        """Count lines on which a quoted cell continues, so that the number of a row is the line where it begins."""
        self.counts.rows += more
        self.counts.continued += more

    def _plain(self, block: bytes, first: int) -> PlainRows | None:
        """Return a block's lines as separated cells, None if any is quoted, lost, blank or odd."""
        delimiter, width = self.dialect.delimiter.encode(), len(self.columns)
        if width < 2 or len(delimiter) > 1 or delimiter.isspace() or (self.dialect.quote and b'"' in block):
            return None
        block = _end_lines(block)
        if b"\r" in block or any(control in block for control in _CONTROLS) or not _is_utf8(block):
            return None
        data = np.frombuffer(block, np.uint8)
        ends = np.append(np.flatnonzero(data == _LINE_FEED), len(data))
        every = np.flatnonzero(data == delimiter[0])
        if len(every) != len(ends) * (width - 1) or np.diff(ends, prepend=-1).max() > self.max_line:
            return None
        cuts = every.reshape(len(ends), width - 1)
        if (cuts[:, -1] > ends).any() or (cuts[1:, 0] < ends[:-1]).any():
            return None
        return PlainRows(first, len(ends), block.replace(delimiter, CELL.encode()) + b"\n")

    def _cells(
        self, line: str, waiting: deque[str | None], source: Iterator[list[str | None]]
    ) -> tuple[list[str] | None, int]:
        """Return a record's cells and the number of its further lines, or None and 0 if a quotation does not end."""
        delimiter = self.dialect.delimiter
        cells: list[str] = []
        extra: list[str] = []
        at, size = 0, len(line)
        while True:
            if line[at : at + 1] != '"':
                end = line.find(delimiter, at)
                cells.append(line[at:] if end < 0 else line[at:end])
                if end < 0:
                    return cells, len(extra)
                at = end + 1
                continue
            whole = _QUOTED.match(line, at)
            if whole is not None and line[whole.end() : whole.end() + 1] in ("", delimiter):
                text, at = whole[1], whole.end()
            elif whole is not None:  # "Weird Al" Yankovic: the marks are part of the text
                end = line.find(delimiter, whole.end())
                text, at = line[at:] if end < 0 else line[at:end], len(line) if end < 0 else end
                cells.append(text)
                if at == len(line):
                    return cells, len(extra)
                at += 1
                continue
            else:
                parts = [line[at + 1 :]]
                while True:
                    if not waiting and (block := next(source, None)) is not None:
                        waiting.extend(block)
                    more = waiting.popleft() if waiting else None
                    if more is not None:
                        extra.append(more)
                        size += len(more) + 1
                    if more is None or more in _LOST or size > self.max_line or len(extra) > MOST_LINES:
                        waiting.extendleft(reversed([*extra, *([None] if more is None and waiting else [])]))
                        return None, 0
                    inside = _OPEN.match(more)
                    end = inside.end() if inside is not None else 0
                    if end == len(more):
                        parts.append(more)
                        continue
                    if more[end + 1 : end + 2] not in ("", delimiter):
                        waiting.extendleft(reversed(extra))
                        return None, 0
                    parts.append(more[:end])
                    line, at = more, end + 1
                    text = "\n".join(parts)
                    break
            cells.append(text.replace('""', '"'))
            if at == len(line):
                return cells, len(extra)
            at += 1


_LINE_FEED: Final = 0x0A
_TOO_LONG: Final = "\x00too-long"
_WRONG: Final = "\x00encoding"
_LOST: Final = {_TOO_LONG: "too-long", _WRONG: "encoding"}


def open_text(file: Path, head: bytes, *, max_line: int = 1 << 20, choice: LayoutChoice = GUESS) -> TextRows:
    """Return a delimited file with the names of its columns.

    Raises FormatError if it is not one or has too many columns.
    """
    dialect = recognise(head, least=0.0, choice=choice, one_column=True)
    if dialect is None:
        raise FormatError(
            f"{file.name} does not look like a table.",
            remedy="A table begins with the names of its columns, separated by commas, tabs, semicolons or bars. If"
            " they are further down, say in which row: --header-row 3. If lines are comments, say how they begin:"
            " --comment '#'.",
        )
    rows = TextRows(file, dialect, [], max_line)
    waiting: deque[str | None] = deque()
    source = (_decode_block(block, max_line) for block in _line_blocks(file, dialect, max_line))
    number, found = 0, list[list[str]]()
    for block in source:
        waiting.extend(block)
        while waiting:
            line = waiting.popleft()
            number += 1
            if number <= dialect.above:
                continue
            if line is None or line in _LOST:
                raise FormatError(
                    f"The first row of {file.name} is too long or not in {dialect.encoding}.",
                    remedy="The first row holds the names of the columns; --header-row names another one.",
                )
            if line.strip() and not (dialect.comment and line.startswith(dialect.comment)):
                cells = rows._cells(line, waiting, source)[0] if dialect.quote else line.split(dialect.delimiter)
                found.append(cells or line.split(dialect.delimiter))
                if len(found) == dialect.depth:
                    names = found[0] if dialect.depth == 1 else table_headers.join_headings(*found)
                    rows.columns = header(names, file)
                    return rows
    raise FormatError(f"{file.name} holds no rows.", remedy="Check the file, or name another row: --header-row 1.")


def header(names: Sequence[str], file: Path) -> list[str]:
    """Make names unique, and name empty ones by place. Raises FormatError over :data:`MOST_COLUMNS`."""
    if len(names) > MOST_COLUMNS:
        raise FormatError(
            f"{file.name} has {len(names):,} columns; a table may have {MOST_COLUMNS:,}.",
            remedy="Make it long: one row for each entity, attribute and value.",
        )
    out: list[str] = []
    seen: set[str] = set()
    for place, raw in enumerate(names, 1):
        name = base = " ".join(_CONTROL.sub(" ", raw).split()) or f"column {place}"
        number = 2
        while name.casefold() in seen:
            name, number = f"{base} {number}", number + 1
        seen.add(name.casefold())
        out.append(name)
    return out


def texts(file: Path, encoding: str) -> Iterator[bytes]:
    """Yield a text as UTF-8 bytes without byte order mark. Invalid bytes stay invalid, so that they are noticed."""
    if encoding == "utf-8":
        first = True
        for data in chunks(file):
            yield data.removeprefix(codecs.BOM_UTF8) if first else data
            first = False
        return
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    first = True
    for data in chunks(file):
        text = decoder.decode(data)
        yield (text.lstrip("\ufeff") if first else text).encode("utf-8", "surrogatepass")
        first = first and not text
    yield decoder.decode(b"", True).encode("utf-8", "surrogatepass")


def _line_blocks(file: Path, dialect: CsvDialect, max_line: int) -> Iterator[bytes]:
    """Yield the lines of a file, many at a time, without the last line feed of a block."""
    plain = texts(file, dialect.encoding)
    if dialect.newline == b"\r":
        plain = (data.replace(b"\r", b"\n") for data in plain)
    for block in whole_lines(plain, max_line):
        whole = block.replace(b'\\"', b'""') if dialect.backslash else block
        yield whole[:-1]


def _end_lines(block: bytes) -> bytes:
    return block.replace(b"\r\n", b"\n").removesuffix(b"\r") if b"\r" in block else block


def _is_utf8(block: bytes) -> bool:
    try:
        return block.isascii() or block.decode() is not None
    except UnicodeDecodeError:
        return False


def _decode_block(block: bytes, max_line: int) -> list[str | None]:
    """Return the lines of a block as text, with marks for lines that are too long or not UTF-8."""
    block = _end_lines(block)
    try:
        lines: list[str | None] = list(block.decode("utf-8").split("\n"))
    except UnicodeDecodeError:
        lines = [_decode_line(line) for line in block.split(b"\n")]
    if len(block) > max_line:
        lines = [_TOO_LONG if line is not None and len(line) > max_line else line for line in lines]
    return lines


def _decode_line(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return _WRONG


def _fit_row(cells: list[str], width: int, *, short: bool = False) -> list[str] | None:
    """Return the cells of a row without superfluous empty ones at its end."""
    while len(cells) > width and not cells[-1].strip():
        cells.pop()
    if short and len(cells) == width - 1:
        return [*cells, ""]
    return cells if len(cells) == width else None
