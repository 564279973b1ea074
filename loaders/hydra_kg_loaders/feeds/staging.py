"""Read the files of a feed into DuckDB: one table for each table of the feed, with numbered rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hydra_kg.errors import UsageError
from hydra_kg.ingest.contract.work import Rejected, escape_line
from hydra_kg.util.fast_dataclass import dataclass, field, replace
from hydra_kg_loaders.feeds.nested_links import read_nested_tables
from hydra_kg_loaders.nested.files import is_nested
from hydra_kg_loaders.table_files import databases, workbooks, yaml_rows
from hydra_kg_loaders.table_files.canonical_rows import FoundTable
from hydra_kg_loaders.tables import grid
from hydra_kg_loaders.tables.table_headers import GUESS, LayoutChoice
from hydra_kg_loaders.tables.table_references import part_of, table_name

if TYPE_CHECKING:
    import duckdb

MOST_TABLES: Final = 500
"""Largest number of tables of a feed."""

MOST_CELLS: Final = 20_000
"""Largest number of columns of all tables of a feed together."""

_MOST: Final = 50_000  # rejects held before they are written down

Declared = tuple[tuple[str, ...], str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class StagedTable:
    """A staged table, whose name in the database is ``table`` and whose columns are (row, c0 …).

    Attributes:
        many: Columns with several values per cell.
        first: The number of the row before its first one.
        placed: Whether the table of places ``…_at`` exists.
    """

    name: str
    table: str
    columns: tuple[str, ...]
    files: tuple[str, ...]
    many: tuple[int, ...] = ()
    keys: tuple[tuple[str, ...], ...] = ()
    references: tuple[Declared, ...] = ()
    first: int = 0
    alone: bool = True
    placed: bool = False
    melted: bool = False
    """Whether a row of the file is several rows here, one for each of its years."""
    left: int = -1
    """The column of the sheet where the table begins, -1 in other files or if columns were rearranged."""


@dataclass(slots=True)
class StagedFeed:
    """The result of staging: rows of each file, blank rows, continued lines of cells, and header rows."""

    tables: list[StagedTable] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    blank: int = 0
    continued: int = 0
    headers: int = 0
    notes: list[str] = field(default_factory=list)


def tables_in(file: Path, *, max_line: int = 1 << 20, choice: LayoutChoice = GUESS) -> list[FoundTable]:
    """Return the tables of a file. Raises FormatError, UsageError."""
    ending = file.suffix.casefold()
    with file.open("rb") as f:
        head = f.read(16)
    if head.startswith(databases.SQLITE):
        return databases.sqlite_tables(file, max_line=max_line)
    if head[8:12] == databases.DUCKDB:
        return databases.duckdb_tables(file, max_line=max_line)
    if ending in workbooks.ENDINGS:
        return workbooks.workbook_tables(file, max_line=max_line, choice=choice)
    if ending in yaml_rows.ENDINGS:
        return yaml_rows.yaml_tables(file, max_line=max_line)
    packed = grid.head_of(file)
    if is_nested(file, packed):
        return read_nested_tables(file, packed, max_line=max_line)
    return [FoundTable(table_name(file), grid.open_rows(file, max_line=max_line, choice=choice))]


def stage(
    db: duckdb.DuckDBPyConnection,
    files: Sequence[Path],
    *,
    folder: Path,
    reject: Callable[[list[Rejected]], None],
    progress: Callable[[int, int], None] = lambda *_: None,
    limit: int = 0,
    max_line: int = 1 << 20,
    choice: LayoutChoice = GUESS,
) -> StagedFeed:
    """Read files into the tables ``t0``, ``t1`` … and list them in the table ``staged``.

    ``progress`` is called with the number of the file and the rows so far. Raises FormatError, and UsageError over
    :data:`MOST_TABLES` or :data:`MOST_CELLS`.
    """
    out = StagedFeed()
    waiting: list[Rejected] = []

    def noted(row: int, reason: str, place: int, text: str) -> None:
        waiting.append((row, reason, place, escape_line(text)))
        if len(waiting) >= _MOST:
            reject(waiting)
            waiting.clear()

    read = 0
    for number, file in enumerate(files):
        if limit and read >= limit:
            break
        before = read
        found = tables_in(file, max_line=max_line, choice=choice)
        for one in found:
            if limit and read >= limit:
                break
            at = _place(db, out, one, file, alone=len(found) == 1, first=read - one.above)
            table = out.tables[at]
            left = limit - read if limit else 0
            with grid.Inserting(db) as inserting:
                for piece, first in grid.pieces(one.rows, folder, noted, limit=left, start=read):
                    inserting.wait()  # before there are more columns
                    _widen(db, out, at, one.rows.columns)
                    columns = out.tables[at].columns
                    more = {"first": first, "max_line": max_line, "table": table.table}
                    inserting.add(piece, one.rows.columns, columns, **more)
                    progress(number, read + one.rows.counts.rows)
            if places := getattr(one.rows, "places", ()):
                _note_places(db, out, at, places, first=read)
            if one.rows.many:
                _many(out, at, [one.rows.columns[place] for place in one.rows.many])
            read += one.rows.counts.rows
            out.blank += one.rows.counts.blank
            out.continued += one.rows.counts.continued
            out.headers += one.rows.counts.headers or one.rows.counts.header > 0
            out.notes += one.notes
        out.lines.append(read - before)
    reject(waiting)
    db.execute("CREATE TABLE file_note (text VARCHAR)")
    for note in out.notes:
        db.execute("INSERT INTO file_note VALUES (?)", [note])
    remember(db, out.tables)
    return out


def remember(db: duckdb.DuckDBPyConnection, tables: Sequence[StagedTable]) -> None:
    """Store the list of tables in the database, in place of an earlier list."""
    db.execute("CREATE OR REPLACE TABLE staged (doc VARCHAR)")
    db.execute("INSERT INTO staged VALUES (?)", [json.dumps([_json(t) for t in tables])])


def read_staged_tables(db: duckdb.DuckDBPyConnection) -> list[StagedTable]:
    """Return the tables that :func:`stage` made, even in an earlier run of the same load."""
    (text,) = db.execute("SELECT doc FROM staged").fetchall()[0]
    return [
        StagedTable(
            name,
            table,
            tuple(columns),
            tuple(files),
            tuple(many),
            tuple(map(tuple, keys)),
            tuple((tuple(own), to, tuple(other)) for own, to, other in references),
            first,
            alone,
            placed,
            melted,
            left,
        )
        for name, table, columns, files, many, keys, references, first, alone, placed, melted, left in json.loads(text)
    ]


def _json(t: StagedTable) -> list[object]:
    place = (t.first, t.alone, t.placed, t.melted, t.left)
    return [t.name, t.table, t.columns, t.files, t.many, t.keys, t.references, *place]


def _place(
    db: duckdb.DuckDBPyConnection, out: StagedFeed, one: FoundTable, file: Path, *, alone: bool, first: int
) -> int:
    """Return the place of the table to which these rows belong: a new one, or one of which they are a further part."""
    named = alone and one.name == table_name(file)
    names = {t.name.casefold() for t in out.tables}
    for at, known in enumerate(out.tables):
        same = not one.rows.columns or set(known.columns) == set(one.rows.columns)  # JSON: known at the end
        if named and known.alone and same and part_of(file) == part_of(file.with_name(known.files[0])):
            called = known.name if len(known.files) > 1 else part_of(file)
            out.tables[at] = _replace_fields(known, name=called, files=(*known.files, file.name))
            return at
    name = base = one.name
    number = 2
    while name.casefold() in names:
        name, number = f"{base} {number}", number + 1
    table = StagedTable(
        name,
        f"t{len(out.tables)}",
        (),
        (file.name,),
        keys=one.keys,
        references=one.references,
        first=first,
        alone=alone,
        left=one.left,
    )
    out.tables.append(table)
    if len(out.tables) > MOST_TABLES:
        raise UsageError(
            f"The feed has over {MOST_TABLES:,} tables.", remedy="Load some of them as a feed of their own."
        )
    db.execute(f"CREATE TABLE {table.table} (row UBIGINT)")
    _widen(db, out, len(out.tables) - 1, one.rows.columns)
    return len(out.tables) - 1


def _widen(db: duckdb.DuckDBPyConnection, out: StagedFeed, at: int, columns: Sequence[str]) -> None:
    """Add the missing columns to a table."""
    table = out.tables[at]
    known = set(table.columns)
    new = [name for name in columns if name not in known]
    if not new:
        return
    for place in range(len(table.columns), len(table.columns) + len(new)):
        db.execute(f"ALTER TABLE {table.table} ADD COLUMN c{place} VARCHAR")
    out.tables[at] = _replace_fields(table, columns=(*table.columns, *new))
    if sum(len(t.columns) for t in out.tables) > MOST_CELLS:
        raise UsageError(
            f"The tables of the feed have over {MOST_CELLS:,} columns.", remedy="Load some of them as another feed."
        )


def _note_places(db: duckdb.DuckDBPyConnection, out: StagedFeed, at: int, places: Sequence[str], *, first: int) -> None:
    """Store the places of a nested table's rows in their file, in a separate table."""
    table = out.tables[at]
    out.tables[at] = _replace_fields(table, placed=True)
    db.execute(f"CREATE TABLE IF NOT EXISTS {table.table}_at (row UBIGINT, place VARCHAR)")
    rows = list(range(first + 1, first + 1 + len(places)))
    db.execute(f"INSERT INTO {table.table}_at SELECT unnest(?::UBIGINT[]), unnest(?::VARCHAR[])", [rows, list(places)])


def _many(out: StagedFeed, at: int, names: Sequence[str]) -> None:
    table = out.tables[at]
    places = {table.columns.index(name) for name in names}
    out.tables[at] = _replace_fields(table, many=tuple(sorted(places | set(table.many))))


def _replace_fields(table: StagedTable, **new: object) -> StagedTable:
    return replace(table, **new)  # type: ignore[arg-type]
