"""Find rows that sum up other rows, such as totals, subtotals and averages. They are not entities."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from hydra_kg.text.quoting import sql_text
from hydra_kg_loaders.tables.table_headers import is_number

if TYPE_CHECKING:
    import duckdb

_WORDS: Final = (
    "(?:grand |sub[ -]?|running |net |overall )?totals?|total general|sums?|averages?|mean|"
    "(?:zwischen|gesamt|end)?summe|gesamt|insgesamt|durchschnitt|mittelwert|"
    "(?:sous-)?total(?: général)?|somme|moyenne|(?:sub)?totale|somma|suma|promedio|(?:sub)?totaal|razem|итого|всего|"
    "合计|合計|总计|小计"
)
_BARE: Final = re.compile(rf"(?:{_WORDS})\s*[:=]?", re.IGNORECASE)
_PART: Final = rf"(?i)(^({_WORDS})(\W|$))|((^|\W)({_WORDS})\s*[:=]?$)"
"""Pattern of texts that begin or end with a word for a total: ``Total 2023``, ``North Barn total``."""

_LABELS: Final = 6
"""Number of columns from the left in which the label of a total is searched."""

_MOST: Final = 500
_CLOSE: Final = 0.005
"""Relative difference from the sum that rounding may cause."""


def find_totals(db: duckdb.DuckDBPyConnection, table: str, width: int) -> list[tuple[int, str]]:
    """Return the totals of a table as (row, label).

    A total has a label such as ``TOTAL``, and its other cells are numbers. One of them must be the sum, mean or count
    of rows above. If the label is only such a word, this is not needed in the last row or without other cells.
    """
    label = f"coalesce({', '.join(f'c{n}' for n in range(min(width, _LABELS)))}, NULL)"
    cells = ", ".join(f"c{n}" for n in range(width))
    found = db.execute(
        f"SELECT row, {label}, {cells} FROM {table} WHERE regexp_matches({label}, {sql_text(_PART)}) ORDER BY row"
        f" LIMIT {_MOST}"
    ).fetchall()
    if not found:
        return []
    (last,) = db.execute(f"SELECT max(row) FROM {table}").fetchall()[0]
    out: list[tuple[int, str]] = []
    for row, text, *line in found:
        others = [(n, cell) for n, cell in enumerate(line) if cell and cell != text]
        if not all(is_number(cell) for _, cell in others):
            continue
        bare = _BARE.fullmatch(text) is not None
        before = [number for number, _ in out]
        if (bare and (row == last or not others)) or _adds_up(db, table, row, others, before):
            out.append((row, text))
    return out


def _adds_up(
    db: duckdb.DuckDBPyConnection, table: str, row: int, cells: Sequence[tuple[int, str]], totals: Sequence[int]
) -> bool:
    """Return True if a row's numbers are sums or means of the rows above."""
    left_out = f" AND row NOT IN ({', '.join(map(str, totals))})" if totals else ""
    for since in {0, max(totals, default=0)}:
        for place, cell in cells:
            number = _cell_as_number(f"c{place}")
            sql = (
                f"SELECT sum({number}), avg({number}), count(*), {_cell_as_number(sql_text(cell))} FROM {table}"
                f" WHERE row > {since} AND row < {row}{left_out}"
            )
            *sums, stated = db.execute(sql).fetchall()[0]
            if stated is not None and any(s is not None and abs(s - stated) <= _CLOSE * abs(s) for s in sums):
                return True
    return False


def _cell_as_number(cell: str) -> str:
    """Return SQL for a cell as a number: ``1,250.50`` and ``1.250,50 €`` are 1250.5."""
    bare = f"regexp_replace({cell}, '[^0-9.,-]', '', 'g')"
    comma = rf"regexp_full_match({bare}, '-?[0-9.]*,([0-9]{{1,2}}|[0-9]{{4,}})')"
    decimal = f"replace(replace({bare}, '.', ''), ',', '.')"
    return f"try_cast(CASE WHEN {comma} THEN {decimal} ELSE replace({bare}, ',', '') END AS DOUBLE)"
