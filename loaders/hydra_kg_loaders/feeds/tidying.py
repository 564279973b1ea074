"""Set aside rows of staged tables that would distort answers (totals, repeated rows), and add computed columns."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from hydra_kg.errors import UsageError
from hydra_kg_loaders.feeds.model import FeedModel, FeedTable
from hydra_kg_loaders.feeds.staging import StagedTable
from hydra_kg_loaders.feeds.wide_years import measure_of, year_columns
from hydra_kg_loaders.tables.totals import find_totals
from hydra_kg_loaders.values.formulas import fold_column_name, formula_sql

if TYPE_CHECKING:
    import duckdb

TOTALS: Final = "totals"
REPEATED: Final = "repeated"
RULES: Final[Mapping[str, str]] = {
    TOTALS: "leave out rows that add up other rows (TOTAL, subtotals)",
    REPEATED: "merge rows that repeat another word for word in a table with a key",
}
_SHOWN: Final = 5


def set_aside(db: duckdb.DuckDBPyConnection, tables: Sequence[StagedTable], rules: Mapping[str, bool]) -> None:
    """Move totals and repeated rows of all tables into separate tables, and list them in ``set_aside``."""
    db.execute("CREATE TABLE set_aside (name VARCHAR, row UBIGINT, reason VARCHAR, text VARCHAR)")
    for t in tables:
        if not t.columns:
            continue
        if rules.get(TOTALS, True) and not t.keys:
            totals = find_totals(db, t.table, len(t.columns))
            _note(db, t, TOTALS, totals)
            _move(db, t, TOTALS)
        if rules.get(REPEATED, True):
            cells = ", ".join(f"c{n}" for n in range(len(t.columns)))
            rows, different = db.execute(f"SELECT count(*), count(DISTINCT hash({cells})) FROM {t.table}").fetchall()[0]
            if rows == different:
                continue
            db.execute(
                f"INSERT INTO set_aside SELECT $1, unnest(list_sort(list(row))[2:]), '{REPEATED}',"
                f" min(row)::VARCHAR FROM {t.table} WHERE coalesce({cells}) IS NOT NULL"
                f" GROUP BY {cells} HAVING count(*) > 1",
                [t.name],
            )
            _move(db, t, REPEATED)


def restore_repeated(db: duckdb.DuckDBPyConnection, tables: Sequence[StagedTable], keyless: Collection[str]) -> bool:
    """Restore repeated rows of tables without a key, where two equal rows count twice.

    Return True if there were any.
    """
    back = [t for t in tables if t.name in keyless and count_rows(db, REPEATED, t.name)]
    for t in back:
        db.execute(f"INSERT INTO {t.table} SELECT * FROM {t.table}_{REPEATED}")
        db.execute("DELETE FROM set_aside WHERE name = ? AND reason = ?", [t.name, REPEATED])
    return bool(back)


def align_references(db: duckdb.DuckDBPyConnection, feed: FeedModel, tables: Sequence[StagedTable]) -> None:
    """Spell names in references as the table spells them to which they refer: "hanna frey" as "Hanna Frey".

    A name that several rows have in other spellings stays as it is.
    """
    staged = {t.name: t for t in tables}
    for r in feed.references:
        if len(r.columns) != 1:
            continue
        own, other = staged[r.table], staged[r.to]
        cell, key = f"c{own.columns.index(r.columns[0])}", f"c{other.columns.index(r.to_columns[0])}"
        db.execute(
            f"UPDATE {own.table} AS t SET {cell} = k.name FROM (SELECT min({key}) AS name FROM {other.table}"
            f" WHERE {key} IS NOT NULL GROUP BY lower({key}) HAVING count(DISTINCT {key}) = 1) AS k"
            f" WHERE lower(t.{cell}) = lower(k.name) AND t.{cell} <> k.name"
        )


def count_rows(db: duckdb.DuckDBPyConnection, reason: str, name: str = "") -> int:
    """Return the number of rows that were set aside for a reason, in one table or all."""
    sql = "SELECT count(*) FROM set_aside WHERE reason = ? AND (name = ? OR ? = '')"
    return int(db.execute(sql, [reason, name, name]).fetchall()[0][0])


def remove_nameless(db: duckdb.DuckDBPyConnection, feed: FeedModel, tables: Sequence[StagedTable]) -> bool:
    """Move rows without key and name into ``nameless``, idempotently; return True if any were."""
    db.execute("CREATE TABLE IF NOT EXISTS nameless (row UBIGINT, reason VARCHAR, place INTEGER, text VARCHAR)")
    by_name = {t.name: t for t in tables}
    for one in feed.tables:
        t = by_name[one.name]
        if one.rows != "thing" or not one.key:
            continue
        unnamed = " AND ".join(f"c{t.columns.index(c)} IS NULL" for c in (*one.key, *one.called))
        cells = [f"c{n}" for n in range(len(t.columns))]
        missing = f"{unnamed} AND coalesce({', '.join(cells)}) IS NOT NULL"
        shown = f"regexp_replace(left(concat_ws(' | ', {', '.join(cells)}), 200), '[^ -~]', '?', 'g')"
        db.execute(f"INSERT INTO nameless SELECT row, 'key', 0, {shown} FROM {t.table} WHERE {missing}")
        db.execute(f"DELETE FROM {t.table} WHERE {missing}")
    db.execute("CREATE OR REPLACE TABLE nameless AS SELECT DISTINCT * FROM nameless")
    return bool(db.execute("SELECT count(*) FROM nameless").fetchall()[0][0])


def describe(db: duckdb.DuckDBPyConnection, feed: FeedModel, tables: Sequence[StagedTable]) -> Iterator[str]:
    """Yield remarks for people about the rows of a feed, one line per table and topic."""
    yield from (text for (text,) in db.execute("SELECT text FROM file_note").fetchall())
    yield from describe_rows(db, tables)
    for t in tables:
        if years := year_columns(t):
            said = f"{t.name} has years as columns ({years[0]} to {years[-1]})"
            yield f"{said}, understood as “{measure_of(t)} {years[0]}” and so on; --rule years=on makes rows of them"
    by_name = {t.name: t for t in tables}
    for one in feed.tables:
        if len(one.key) == 1 and one.rows != "skip":
            yield from _describe_key(db, by_name[one.name], one)


def _describe_key(db: duckdb.DuckDBPyConnection, t: StagedTable, one: FeedTable) -> Iterator[str]:
    """Yield the rows of a table in which the key is empty, or repeated with other values."""
    key = f"c{t.columns.index(one.key[0])}"
    cells = ", ".join(f"c{n}" for n in range(len(t.columns)))
    empty = db.execute(f"SELECT row FROM {t.table} WHERE {key} IS NULL AND coalesce({cells}) IS NOT NULL ORDER BY row")
    if rows := [row - t.first for (row,) in empty.fetchall()]:
        called = set(one.called) - set(one.key)
        fate = f"called by {' and '.join(one.called)}, or left out without one" if called else "left out"
        yield f"{t.name}: {_rows_text(rows)} no {one.key[0]}: {fate}"
    twice = db.execute(
        f"SELECT {key}, list_sort(list(row)) FROM {t.table} WHERE {key} IS NOT NULL GROUP BY {key} HAVING count(*) > 1"
        " ORDER BY min(row)"
    ).fetchall()
    for value, rows in twice[:_SHOWN]:
        numbers = [row - t.first for row in rows]
        yield (
            f"{t.name}: rows {' and '.join(map(str, numbers[:_SHOWN]))} have the same {one.key[0]} ({value}) and are"
            " merged; where they differ, both values are stored"
        )


def _rows_text(rows: Sequence[int]) -> str:
    shown = ", ".join(map(str, rows[:_SHOWN])) + (f" and {len(rows) - _SHOWN:,} more" if len(rows) > _SHOWN else "")
    return f"row {shown} has" if len(rows) == 1 else f"rows {shown} have"


def describe_rows(db: duckdb.DuckDBPyConnection, tables: Sequence[StagedTable]) -> Iterator[str]:
    """Yield one line per table and reason, with the numbers of the rows: ``boats: row 9 repeats row 8``."""
    for t in tables:
        for reason in RULES:
            found = db.execute(
                "SELECT row, text FROM set_aside WHERE name = ? AND reason = ? ORDER BY row", [t.name, reason]
            ).fetchall()
            if not found:
                continue
            one = len(found) == 1
            if reason == TOTALS:
                shown = [f"row {row - t.first} ({text})" for row, text in found]
                said = f" {'adds' if one else 'add'} up others and {'is' if one else 'are'} left out (rule totals)"
            else:
                shown = [f"row {row - t.first} repeats row {int(text) - t.first}" for row, text in found]
                said = "; merged" if one else f"; {len(found):,} rows merged"
            more = f" and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
            yield f"{t.name}: {', '.join(shown[:_SHOWN])}{more}{said}"


def _note(db: duckdb.DuckDBPyConnection, t: StagedTable, reason: str, rows: Sequence[tuple[int, str]]) -> None:
    if rows:
        db.executemany("INSERT INTO set_aside VALUES (?, ?, ?, ?)", [(t.name, row, reason, text) for row, text in rows])


def _move(db: duckdb.DuckDBPyConnection, t: StagedTable, reason: str) -> None:
    if count_rows(db, reason, t.name):
        chosen = "SELECT row FROM set_aside WHERE name = $1 AND reason = $2"
        db.execute(
            f"CREATE TABLE {t.table}_{reason} AS SELECT * FROM {t.table} WHERE row IN ({chosen})", [t.name, reason]
        )
        db.execute(f"DELETE FROM {t.table} WHERE row IN ({chosen})", [t.name, reason])


def add_metrics(
    db: duckdb.DuckDBPyConnection, tables: Sequence[StagedTable], said: Mapping[str, Any]
) -> list[StagedTable]:
    """Add the columns that the metrics of each table define, and return the tables with them.

    Raises UsageError for a formula that cannot be read or that names no column of its table.
    """
    described = said.get("tables") or {}
    return [_add_metrics(db, t, (described.get(t.name) or {}).get("metrics") or {}) for t in tables]


def _add_metrics(db: duckdb.DuckDBPyConnection, table: StagedTable, metrics: object) -> StagedTable:
    """Return the table with a column for each formula. Raises UsageError."""
    if not isinstance(metrics, Mapping):
        raise UsageError(
            f"In feeds.yaml, the metrics of {table.name} must be names with formulas.",
            remedy="For example: metrics: {margin: (price - cost) / price}",
        )
    for name, formula in metrics.items():
        if fold_column_name(str(name)) in map(fold_column_name, table.columns):
            raise UsageError(f"{table.name} has a column {name} already.", remedy="Give the metric another name.")
        value = formula_sql(str(formula), table.columns, f"{table.name}.{name}")
        place = len(table.columns)
        db.execute(f"ALTER TABLE {table.table} ADD COLUMN c{place} VARCHAR")
        db.execute(f"UPDATE {table.table} SET c{place} = {value}")
        table = replace(table, columns=(*table.columns, str(name)), left=-1)
    return table
