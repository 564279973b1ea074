"""Read SQLite and DuckDB files as tables with their declared keys. The files are opened read-only."""

from __future__ import annotations

import contextlib
import re
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from hydra_kg.errors import FormatError
from hydra_kg.quiet_dependencies import connect_duckdb
from hydra_kg.text.quoting import sql_name
from hydra_kg_loaders.table_files.canonical_rows import CellRows, FoundTable
from hydra_kg_loaders.tables.text_rows import header

SQLITE: Final = b"SQLite format 3\0"
DUCKDB: Final = b"DUCK"
MOST_TABLES: Final = 500
_BATCH: Final = 10_000
_ABOUT: Final = "Only tables are read, full-text and R-tree tables among them: views are left out."

_VIRTUAL: Final = re.compile(r"CREATE\s+VIRTUAL\s+TABLE\b", re.IGNORECASE)
_READABLE: Final = re.compile(r"\bUSING\s+(fts[345]|rtree|rtree_i32|geopoly)\b", re.IGNORECASE)
_CONTENT: Final = re.compile(r"[(,]\s*content\s*=", re.IGNORECASE)
"""Pattern of an option of full-text tables whose rows are those of another table, or none."""
_SHADOWS: Final = {
    "fts": ("content", "segments", "segdir", "docsize", "stat", "data", "idx", "config"),
    "rtr": ("node", "parent", "rowid"),
    "geo": ("node", "parent", "rowid"),
}
"""Endings of the names of tables in which a virtual table stores rows and index, by the beginning of its kind."""


def sqlite_tables(path: Path, *, max_line: int) -> list[FoundTable]:
    """Return a SQLite file's tables in the order of their names. Raises FormatError.

    Full-text and R-tree tables are read as their content. Views and other virtual tables are left out.
    """
    with _sqlite(path) as db:
        listed = db.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
            " ORDER BY name"
        ).fetchall()
        virtual = {name: sql for name, sql in listed if _VIRTUAL.match(sql)}
        shadows = {shadow for name, sql in virtual.items() for shadow in _shadows(name, sql)}
        own = [name for name, _ in listed if name.casefold() not in shadows]
        names = [name for name in own if name not in virtual or _is_read(path, db, name, virtual[name])]
        return [_sqlite_table(path, db, name, max_line) for name in _check_tables(path, names)]


def _shadows(name: str, sql: str) -> list[str]:
    """Return the folded names of the tables in which a virtual table may store its rows."""
    kind = _READABLE.search(sql)
    endings = _SHADOWS[kind[1][:3].lower()] if kind else ()
    return [f"{name}_{ending}".casefold() for ending in endings]


def _is_read(path: Path, db: sqlite3.Connection, name: str, sql: str) -> bool:
    """Return True if a virtual table has rows of its own. Raises FormatError if this SQLite cannot read them."""
    if not _READABLE.search(sql) or _CONTENT.search(sql):
        return False
    try:
        db.execute(f"SELECT * FROM {sql_name(name)} LIMIT 1").fetchall()
    except sqlite3.Error as e:
        raise FormatError(
            f"{path.name}: the virtual table {name} cannot be read: {str(e).splitlines()[0]}",
            remedy="Export the tables that matter into a folder of CSV files.",
        ) from e
    return True


def duckdb_tables(path: Path, *, max_line: int) -> list[FoundTable]:
    """Return the tables of a DuckDB file in the order of their names, without views. Raises FormatError."""
    with _duckdb(path) as db:
        found = db.execute(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal AND NOT temporary ORDER BY 1, 2"
        ).fetchall()
        _check_tables(path, [name for _, name in found])
        alone = len({schema for schema, _ in found}) <= 1
        out = []
        for schema, name in found:
            source = f"{sql_name(schema)}.{sql_name(name)}"
            described = db.execute(f"SELECT * FROM {source} LIMIT 0").description
            keys, references = [], []
            declared = db.execute(
                "SELECT constraint_type, constraint_column_names, referenced_table, referenced_column_names"
                " FROM duckdb_constraints() WHERE schema_name = ? AND table_name = ? ORDER BY constraint_index",
                [schema, name],
            ).fetchall()
            for kind, columns, to, to_columns in declared:
                if kind == "PRIMARY KEY":
                    keys.append(tuple(columns))
                elif kind == "FOREIGN KEY":
                    references.append((tuple(columns), str(to), tuple(to_columns)))
            columns = header([column[0] for column in described], path)
            rows = CellRows(columns, _Query(path, f"SELECT * FROM {source}", lite=False), max_line)
            called = name if alone else f"{schema}.{name}"
            out.append(FoundTable(called, rows, tuple(keys), tuple(references)))
    return out


class _Query:
    """All rows of a query, which is repeated with every call."""

    def __init__(self, path: Path, sql: str, *, lite: bool) -> None:
        self.path, self.sql, self.lite = path, sql, lite

    def __call__(self) -> Iterator[Sequence[object]]:
        import duckdb

        try:
            with _sqlite(self.path) if self.lite else _duckdb(self.path) as db:
                found = db.execute(self.sql)
                while batch := found.fetchmany(_BATCH):
                    yield from batch
        except (sqlite3.Error, duckdb.Error) as e:
            raise _damaged_error(self.path, e) from e


def _sqlite_table(path: Path, db: sqlite3.Connection, name: str, max_line: int) -> FoundTable:
    """Return a table of an SQLite file with its declared keys."""
    info = db.execute("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid", [name]).fetchall()
    key = tuple(column for _, column in sorted((place, column) for column, place in info if place))
    foreign: dict[int, tuple[str, list[str], list[str]]] = {}
    for number, to, own, other in db.execute(
        'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id, seq', [name]
    ).fetchall():
        _, columns, others = foreign.setdefault(number, (to, [], []))
        columns.append(own)
        others.append(other or "")
    references = tuple(
        (tuple(columns), to, tuple(others) if all(others) else ()) for to, columns, others in foreign.values()
    )
    columns = header([column for column, _ in info], path)
    quoted = ", ".join(sql_name(column) for column, _ in info)
    query = _Query(path, f"SELECT {quoted} FROM {sql_name(name)}", lite=True)
    return FoundTable(name, CellRows(columns, query, max_line), (key,) if key else (), references)


@contextlib.contextmanager
def _sqlite(path: Path) -> Iterator[sqlite3.Connection]:
    """Open an SQLite file for reading only. Raises FormatError."""
    try:
        db = sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True)
        try:
            db.execute("PRAGMA trusted_schema = OFF")
            db.execute("PRAGMA query_only = ON")
            db.text_factory = lambda data: data.decode("utf-8", "replace")
            yield db
        finally:
            db.close()
    except sqlite3.Error as e:
        raise _damaged_error(path, e) from e


@contextlib.contextmanager
def _duckdb(path: Path) -> Iterator[Any]:
    import duckdb

    try:
        with connect_duckdb(str(path), read_only=True, enable_external_access=False, lock_configuration=True) as db:
            yield db
    except duckdb.Error as e:
        raise _damaged_error(path, e) from e


def _check_tables(path: Path, names: list[str]) -> list[str]:
    if len(names) > MOST_TABLES:
        raise FormatError(
            f"{path.name} has {len(names):,} tables; a feed may have {MOST_TABLES:,}.",
            remedy="Export those that matter into a folder of CSV files.",
        )
    if not names:
        raise FormatError(f"{path.name} has no tables.", remedy=_ABOUT)
    return names


def _damaged_error(path: Path, error: Exception) -> FormatError:
    return FormatError(
        f"{path.name} cannot be read: {str(error).splitlines()[0]}", remedy="Check the file; nothing was loaded."
    )
