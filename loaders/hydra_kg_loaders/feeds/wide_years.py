"""Find tables with a column for each year (``2021``, ``2022``), and turn them into rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hydra_kg.text.quoting import sql_text
from hydra_kg_loaders.feeds import column_phrases
from hydra_kg_loaders.feeds.staging import StagedTable

if TYPE_CHECKING:
    import duckdb

YEARS: Final = "years"
RULE: Final = "read columns that are called by years as rows, one a year"

_YEAR: Final = re.compile(r"(?:FY ?)?(?:1[5-9]|20)[0-9]{2}(?:[/-][0-9]{2,4})?")
_LEAST: Final = 3
"""Number of columns named by years from which a table is wide."""


def year_columns(table: StagedTable) -> list[str]:
    """Return the columns of a wide table that are named by years, none for other tables."""
    found = [name for name in table.columns if _YEAR.fullmatch(name.strip())]
    return found if _LEAST <= len(found) < len(table.columns) else []


def measure_of(table: StagedTable) -> str:
    """Return what the cells of a wide table measure: the noun of its rows."""
    return column_phrases.noun(table.name)


def melt(db: duckdb.DuckDBPyConnection, table: StagedTable) -> StagedTable:
    """Replace a wide table (``crop,2021,2022``) by rows per year (``crop,year,price``), if a column identifies rows."""
    years = year_columns(table)
    rest = [n for n, name in enumerate(table.columns) if name not in years]
    key = next((n for n in rest if _tells_apart(db, table, n)), None)
    if key is None:
        return table
    new = f"{table.table}_{YEARS}"
    cells = ", ".join(f"c{n} AS c{place}" for place, n in enumerate(rest))
    parts = " UNION ALL ".join(
        f"SELECT row, {cells}, {sql_text(name)} AS c{len(rest)}, c{table.columns.index(name)} AS c{len(rest) + 1}"
        f" FROM {table.table} WHERE c{table.columns.index(name)} IS NOT NULL"
        for name in years
    )
    db.execute(f"CREATE TABLE {new} AS SELECT * FROM ({parts}) ORDER BY row")
    columns = [*(table.columns[n] for n in rest), "year", measure_of(table)]
    declared = ((table.columns[key], "year"),)
    many = tuple(place for place, n in enumerate(rest) if n in table.many)
    return replace(table, table=new, columns=tuple(columns), keys=declared, many=many, melted=True, left=-1)


def _tells_apart(db: duckdb.DuckDBPyConnection, table: StagedTable, place: int) -> bool:
    rows, filled, distinct = db.execute(
        f"SELECT count(*), count(c{place}), count(DISTINCT c{place}) FROM {table.table}"
    ).fetchall()[0]
    return bool(rows == filled == distinct > 0)


def melt_all(db: duckdb.DuckDBPyConnection, tables: Sequence[StagedTable]) -> list[StagedTable]:
    """Return the tables with each wide one turned into rows."""
    return [melt(db, t) if year_columns(t) and not t.keys else t for t in tables]
