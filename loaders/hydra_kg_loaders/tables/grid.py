"""Files of any tabular format as one grid. They are recognised, sampled, and read into a table of texts."""

from __future__ import annotations

import itertools
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from hydra_kg.errors import UsageError
from hydra_kg.ingest.appending import BATCHES
from hydra_kg.ingest.contract.feed import chunks
from hydra_kg.ingest.contract.loader import HEAD
from hydra_kg.ingest.contract.work import Rejected, Work, escape_line
from hydra_kg.text.quoting import sql_path
from hydra_kg_loaders.tables import mapping
from hydra_kg_loaders.tables.dialect import recognise
from hydra_kg_loaders.tables.json_rows import JsonRows, looks_like_records
from hydra_kg_loaders.tables.parquet_rows import open_parquet
from hydra_kg_loaders.tables.table_headers import GUESS, LayoutChoice, read_choice
from hydra_kg_loaders.tables.text_rows import CELL, FEED, MANY, RETURN, Counts, PlainRows, Reject, TextRows, open_text
from hydra_kg_loaders.tables.xml_rows import XmlRows, open_xml

if TYPE_CHECKING:
    import duckdb

SAMPLE: Final = 20_000
"""Number of rows from which a mapping is guessed."""

_ELEMENT: Final = re.compile(rb"<[A-Za-z_][\w.-]*(:[\w.-]+)?[\s>/]")
_TEXT: Final = re.compile(r"\.(csv|tsv|tab)(\.|$)", re.IGNORECASE)
_FIRST: Final = 1_000  # rows of JSON or XML by which tables are told apart
_ENDS: Final = bytes.maketrans(f"\t\n{RETURN}".encode(), f" {CELL}{FEED}".encode())
_SURROUNDING: Final = tuple(mark.encode() for mark in (FEED, CELL + " ", " " + CELL))
_PIECE: Final = 8 << 20
_CHECKED: Final = 1_000  # rows between two looks at the clock
_MOST: Final = 50_000  # rejects held before they are written down


class TableRows(Protocol):
    """One file as canonical rows. See :class:`hydra_kg_loaders.tables.text_rows.TextRows`."""

    columns: list[str]
    counts: Counts

    @property
    def many(self) -> frozenset[int]:
        """Return the columns in which a cell may have several values."""

    def blocks(self, reject: Reject, *, limit: int = 0, start: int = 0) -> Iterator[str]:
        """Yield canonical rows, many at a time."""


def head_of(file: Path) -> bytes:
    """Return the first decompressed bytes of a file, as loaders see them."""
    data = b""
    for block in chunks(file):
        data += block
        if len(data) >= HEAD:
            break
    return data[:HEAD]


def kind_of(head: bytes, name: str = "") -> str:
    """Return ``parquet``, ``xml``, ``json``, ``text`` or "".

    With a fitting `name`, one column or a lone header suffices.
    """
    if head.startswith(b"PAR1"):
        return "parquet"
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith((b"<?xml", b"<!DOCTYPE")) or _ELEMENT.match(start):
        return "xml"
    if looks_like_records(head):
        return "json"
    return "text" if recognise(head, one_column=_TEXT.search(name) is not None) is not None else ""


def open_rows(file: Path, *, max_line: int = 1 << 20, choice: LayoutChoice = GUESS) -> TableRows:
    """Return the rows of a table's file. Raises FormatError if it is not a table."""
    head = head_of(file)
    kind = kind_of(head)
    if kind == "parquet":
        return open_parquet(file, max_line=max_line)
    if kind == "xml":
        return open_xml(file, max_line=max_line)
    if kind == "json":
        return JsonRows(file, head, max_line=max_line)
    return open_text(file, head, max_line=max_line, choice=choice)


def header_of(file: Path, choice: LayoutChoice = GUESS) -> list[str]:
    """Return the names of a table's columns. If each record names them, those of the first rows are returned."""
    rows = open_rows(file, choice=choice)
    if not rows.columns:
        deque(itertools.islice(split(rows), _FIRST), maxlen=0)
    return rows.columns


def columns_of(files: Sequence[Path], choices: Mapping[str, str], *, max_line: int = 1 << 20) -> mapping.ColumnMapping:
    """Return the meaning of the columns of a load's files, by the first rows. Raises FormatError, UsageError."""
    names: dict[str, None] = {}
    sample: list[list[str]] = []
    for file in files:
        rows = open_rows(file, max_line=max_line, choice=read_choice(choices))
        found = split(rows)
        if not sample:
            sample = [line[1:] for line in itertools.islice(found, SAMPLE)]
        if isinstance(rows, JsonRows | XmlRows):  # their columns are known at the end only
            deque(found, maxlen=0)
        names.update(dict.fromkeys(rows.columns))
    if not names:
        raise UsageError(f"{files[0].name} has no rows.", remedy="Check the file.")
    return mapping.guess(list(names), [(line + [""] * len(names))[: len(names)] for line in sample], choices)


def distinct(
    files: Sequence[Path], column: str, *, limit: int = 0, max_line: int = 1 << 20, choice: LayoutChoice = GUESS
) -> tuple[set[str], bool]:
    """Return the distinct cells of a column over all rows of some files, and whether any is empty."""
    out: set[str] = set()
    for file in files:
        rows = open_rows(file, max_line=max_line, choice=choice)
        place = -1
        for cells in split(rows, limit=limit):
            if place < 0 and column in rows.columns:
                place = rows.columns.index(column) + 1
            out.add(cells[place] if 0 < place < len(cells) else "")
        if limit:
            limit -= rows.counts.rows
            if limit <= 0:
                break
    found = {clean(text) for text in out}
    return found - {""}, "" in found


def quote_rows(
    file: Path, *, line: int, around: int, check: Callable[[], None], choice: LayoutChoice = GUESS
) -> list[tuple[int, str]]:
    """Return the row with a number and its neighbours, as (number, ``column: cell · column: cell``)."""
    rows, found = open_rows(file, choice=choice), list[list[str]]()
    for cells in split(rows):
        number = int(cells[0])
        if number > line + around:
            break
        if number >= line - around:
            found.append(cells)
        if not number % _CHECKED:
            check()
    names = rows.columns
    return [
        (
            int(cells[0]),
            " · ".join(
                f"{name}: {cell_text}"
                for name, cell in zip(names, cells[1:], strict=False)
                if (cell_text := clean(cell).replace(MANY, ", "))
            ),
        )
        for cells in found
    ]


def clean(text: str) -> str:
    """Return a cell without surrounding white space."""
    return text.replace(FEED, "\n").replace(RETURN, "\r").strip(" \t\r\n")


def read_grid(work: Work, columns: mapping.ColumnMapping, entity: str) -> dict[str, int]:
    """Read ``work.files`` into the table ``grid``, with the columns in the order of ``columns``, and return counts.

    The table has the columns row, c0, c1, … (one for each column, NULL if it is empty) and s. s is computed by
    ``entity``, the SQL of an id. It sets ``work.lines`` and records rejects. The counts are ``blank`` and ``header``
    rows, ``continued``, and ``listed``, which is true if cells may have several values.
    """
    options = work.options
    counts = {"blank": 0, "header": 0, "listed": 0, "continued": 0}
    width = len(columns.names)
    work.db.execute(f"CREATE TABLE grid (row UBIGINT{''.join(f', c{n} VARCHAR' for n in range(width))}, s BIGINT)")
    rejected: list[Rejected] = []

    def reject(row: int, reason: str, place: int, text: str) -> None:
        rejected.append((row, reason, place, escape_line(text)))
        if len(rejected) >= _MOST:
            work.reject(rejected)
            rejected.clear()

    read, left = 0, options.limit
    total = sum(f.stat().st_size for f in work.files)
    for file in work.files:
        rows = open_rows(file, max_line=options.max_line, choice=read_choice(options.extra))
        done = sum(f.stat().st_size for f in work.files[: len(work.lines)])
        with Inserting(work.db) as inserting:
            for piece, first in pieces(rows, work.folder, reject, limit=left, start=read):
                more = {"first": first, "max_line": options.max_line, "also": f", {entity} AS s"}
                inserting.add(piece, rows.columns, columns.names, **more)
                at = {"done": done, "total": total, "unit": "bytes", "lines": read + rows.counts.rows}
                work.emit("load.read", at)
        work.lines.append(rows.counts.rows)
        read += rows.counts.rows
        counts["blank"] += rows.counts.blank
        counts["continued"] += rows.counts.continued
        counts["header"] += rows.counts.headers or rows.counts.header > 0
        counts["listed"] |= bool(rows.many)
        if options.limit:
            left -= rows.counts.rows
            if left <= 0:
                break
    work.reject(rejected)
    work.emit("load.read", {"done": total, "total": total, "unit": "bytes", "lines": read})
    return counts


def pieces(
    rows: TableRows, folder: Path, reject: Reject, *, limit: int = 0, start: int = 0
) -> Iterator[tuple[Path, int]]:
    """Yield the rows as files of some megabytes. Each is valid until the next but one is requested.

    With each comes the number of its first row, or 0 if every row begins with its number.
    """
    read = rows.parts if isinstance(rows, TextRows) else rows.blocks
    parts = iter(read(reject, limit=limit, start=start))
    part: str | PlainRows | None = next(parts, None)
    for turn in itertools.cycle("ab"):
        if part is None:
            return
        path, size = folder / f"rows-{turn}", 0
        first = following = part.first if isinstance(part, PlainRows) else 0
        with path.open("wb") as out:
            while part is not None and size < _PIECE:
                if (part.first if isinstance(part, PlainRows) else 0) != following:
                    break
                if isinstance(part, PlainRows):
                    following += part.rows
                    size += out.write(part.data)
                else:
                    size += out.write(part.encode("utf-8", "replace"))
                part = next(parts, None)
        yield path, first


class Inserting:
    """Runs :func:`insert` in DuckDB while the next piece is made. Leaving the block raises its error."""

    def __init__(self, db: duckdb.DuckDBPyConnection) -> None:
        self._db = db.cursor()
        self._pool = ThreadPoolExecutor(1, "hydra-kg rows")
        self._running: Future[None] | None = None

    def add(self, piece: Path, found: Sequence[str], wanted: Sequence[str], **how: Any) -> None:
        """Start inserting a piece as soon as the one before is done. The piece is removed afterwards.

        ``found`` may grow after the call.
        """
        self.wait()
        self._running = self._pool.submit(insert, self._db, piece, tuple(found), tuple(wanted), **how)

    def wait(self) -> None:
        """Wait until the last piece is inserted. Raises duckdb.Error."""
        running, self._running = self._running, None
        if running is not None:
            running.result()

    def __enter__(self) -> Inserting:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown()
        self._db.close()
        if error[0] is None:
            self.wait()


def insert(
    db: duckdb.DuckDBPyConnection,
    piece: Path,
    found: Sequence[str],
    wanted: Sequence[str],
    *,
    max_line: int,
    first: int = 0,
    table: str = "grid",
    also: str = "",
) -> None:
    """Insert a piece of rows with the columns ``found`` into a table with the columns ``wanted`` and ``also``.

    The piece is removed afterwards. Its rows are numbered from ``first``, or begin with their numbers.
    """
    place = {name: n for n, name in enumerate(found)}
    cell = str if _bare(piece) else _cell
    row = f"(row_number() OVER () + {first - 1})::UBIGINT" if first else "r"
    kinds = ", ".join([*["'r': 'UBIGINT'"] * (not first), *(f"'f{n}': 'VARCHAR'" for n in range(len(found)))])
    limit = max_line * 5 + 4096  # characters are up to four bytes
    source = (
        f"read_csv({sql_path(piece)}, delim = '{CELL}', quote = '', escape = '', header = false, nullstr = '',"
        f" new_line = '\\n', columns = {{{kinds}}}, auto_detect = false, null_padding = true,"
        f" max_line_size = {limit}, buffer_size = {8 * limit})"
    )
    cells = (
        f"{cell(f'f{place[name]}')} AS c{n}" if name in place else f"NULL::VARCHAR AS c{n}"
        for n, name in enumerate(wanted)
    )
    db.execute(f"INSERT INTO {table} SELECT *{also} FROM (SELECT {', '.join([f'{row} AS r', *cells])} FROM {source})")
    piece.unlink()


def _bare(piece: Path) -> bool:
    """Return True if no cell of a piece needs trimming or has line feeds. Such a piece is read much faster."""
    data = piece.read_bytes().translate(_ENDS)
    return not data.startswith(b" ") and not any(mark in data for mark in _SURROUNDING)


def _cell(name: str) -> str:
    whole = f"trim({name}, ' \t\r\n')"
    back = f"replace(replace({name}, '{FEED}', chr(10)), '{RETURN}', chr(13))"
    return (
        f"CASE WHEN contains({name}, '{FEED}') OR contains({name}, '{RETURN}') THEN"
        f" nullif(trim({back}, ' \t\r\n'), '') ELSE nullif({whole}, '') END"
    )


def mark_superseded(work: Work, table: str, key: str) -> int:
    """Make ``superseded`` (row) of the rows whose ``key`` (SQL) recurs in a later load. Return their number."""
    numbers = work.options.extra[BATCHES].split(",")
    ends = itertools.accumulate(work.lines)
    batch = " ".join(f"WHEN row <= {end} THEN {int(n)}" for end, n in zip(ends, numbers, strict=False))
    work.db.execute(
        f"CREATE TABLE superseded AS SELECT row FROM (SELECT row, b, max(b) OVER (PARTITION BY k) AS last FROM"
        f" (SELECT row, CASE {batch} END AS b, [{key}] AS k FROM {table}) WHERE list_count(k) = len(k)) WHERE b < last"
    )
    count: int = work.one("SELECT count(*) FROM superseded")
    return count


def split(rows: TableRows, *, limit: int = 0) -> Iterator[list[str]]:
    """Yield the number and the cells of each row."""
    for block in rows.blocks(lambda *_: None, limit=limit):
        for line in block[:-1].split("\n") if block else ():
            yield line.split(CELL)
