"""Split cells that list several values, such as "red; blue; green", into these values."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Final

from hydra_kg.language.lexicon import list_words
from hydra_kg.text.quoting import sql_text
from hydra_kg_loaders.tables.text_rows import MANY

if TYPE_CHECKING:
    import duckdb

LISTS: Final = "lists"
RULE: Final = "split cells that list several values: red; blue; green"

_LOOKED: Final = 5_000
"""Number of distinct cells of a column by which it is decided whether they list values."""
_LONGEST: Final = 30
"""Number of characters of the longest value of a list."""
_SPACES: Final = 3
"""Number of spaces within the longest value of a list."""
_REPEATED: Final = 0.5
"""Share of the values found in several cells that must be found at several places of a list separated by commas."""
_DISTINCT: Final = 0.8
"""Largest share of distinct values among all of a column's values."""


def split_lists(
    db: duckdb.DuckDBPyConnection, table: str, names: Sequence[str], *, skip: Collection[int] = (), label: str = ""
) -> tuple[list[int], list[str]]:
    """Split the cells of columns that hold lists. Return the places of these columns, and a remark on each.

    Args:
        table: The staged table (c0, c1 …).
        skip: Columns that are not changed.
        label: The name of the table in the remarks.
    """
    many, remarks = [], []
    for place, name in enumerate(names):
        if place in skip:
            continue
        cell = f"c{place}"
        looked = f"SELECT DISTINCT {cell} FROM {table} WHERE {cell} IS NOT NULL LIMIT {_LOOKED}"
        marks = choose_separators([str(text) for (text,) in db.execute(looked).fetchall()])
        if not marks:
            continue
        pattern = sql_text(rf"(\s*[{''.join(marks)}]\s*)+")
        values = f"string_split(trim(regexp_replace({cell}, {pattern}, '{MANY}', 'g'), ' {MANY}'), '{MANY}')"
        db.execute(f"UPDATE {table} SET {cell} = array_to_string(list_distinct({values}), '{MANY}')")
        ((cells,),) = db.execute(f"SELECT count(*) FROM {table} WHERE contains({cell}, '{MANY}')").fetchall()
        called = f"{label}, {name}" if label else name
        remarks.append(f"{called}: {cells:,} cells list several values")
        many.append(place)
    return many, remarks


def choose_separators(cells: Sequence[str]) -> list[str]:
    """Return the marks at which distinct cells of a column are to be split, [] if these do not list values.

    Days of the week are lists in any order. Other values of a list are short, and some are in several cells. Between
    commas they must also change their places, which "Paris, France" and "Holm, Ida" do not, unless each such cell has a
    value that other cells list between semicolons.
    """
    for marks in ([mark] for mark in ";|," if any(mark in cell for cell in cells)):
        lists = [split_cell(cell, marks) for cell in cells]
        listed = _recur(lists) and (marks != [","] or _change_places(lists))
        if _have_short_values(lists) and (listed or _list_weekdays(lists)):
            known = {value for values in lists for value in values}
            others = [split_cell(value, [","]) for value in known if "," in value]
            if others and _have_short_values(others) and all(known & set(values) for values in others):
                marks.append(",")
            return marks
    return []


def split_cell(cell: str, marks: Sequence[str]) -> list[str]:
    """Return the values of a cell, each once."""
    return list(dict.fromkeys(part for p in re.split(f"[{''.join(marks)}]", cell) if (part := p.strip())))


def _have_short_values(lists: Sequence[Sequence[str]]) -> bool:
    """Return True if the values of lists are short texts with a letter."""
    return all(
        len(value) <= _LONGEST and value.count(" ") <= _SPACES and any(map(str.isalpha, value))
        for values in lists
        if len(values) > 1
        for value in values
    )


def _recur(lists: Sequence[Sequence[str]]) -> bool:
    """Return True if there are two lists or more, and some values are in several cells."""
    found = [value for values in lists for value in values]
    return sum(len(values) > 1 for values in lists) > 1 and len(set(found)) <= _DISTINCT * len(found)


def _list_weekdays(lists: Sequence[Sequence[str]]) -> bool:
    """Return True if all values are days of the week, in full or abbreviated, and some cell has several: "Mon, Wed"."""
    days = [value.rstrip(".").casefold() for values in lists for value in values]
    known = list_words("weekday")
    return len(days) > len(lists) and all(len(day) > 1 and any(k.startswith(day) for k in known) for day in days)


def _change_places(lists: Sequence[Sequence[str]]) -> bool:
    """Return True if some value is first in one list and later in another, and half of the repeated ones move."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for values in lists:
        for number, value in enumerate(values):
            places[value].append("alone" if len(values) == 1 else "later" if number else "first")
    again = [set(found) for found in places.values() if len(found) > 1]
    moved = [found for found in again if len(found) > 1]
    return any({"first", "later"} <= found for found in moved) and len(moved) >= _REPEATED * len(again)
