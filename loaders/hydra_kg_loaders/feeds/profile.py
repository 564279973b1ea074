"""Profile the columns of staged tables in DuckDB: how full, how distinct, numbers, dates, amounts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from hydra_kg.text.quoting import sql_text
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg_loaders.feeds.staging import StagedTable
from hydra_kg_loaders.tables.text_rows import MANY
from hydra_kg_loaders.values.column_rewriting import is_majority

if TYPE_CHECKING:
    import duckdb

INTEGER: Final = "-?(?:0|[1-9][0-9]{0,17})"
NUMBER: Final = r"[-+]?(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:[.][0-9]+)?|(?:0|[1-9][0-9]{0,17})(?:[.][0-9]+)?|[.][0-9]+)"
"""Pattern of numbers. Those with separators come first, so that the number in $1,250 is not 1."""
_SIGNS: Final = "[$€£¥₹₽₩]|US[$]|EUR|USD|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|AUD|CAD"
MONEY: Final = rf"({_SIGNS}) ?({NUMBER})|({NUMBER}) ?({_SIGNS})"
QUANTITY: Final = rf"({NUMBER}) ?(%|°[CF]?|[A-Za-zµ°][A-Za-zµ/]{{0,14}}[²³]?)(?: ?[(].*[)])?"
YEAR: Final = "[12][0-9]{3}([.]0+)?"
DAY: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
MOMENT: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?"
EMAIL: Final = r"[^@\s]{1,64}@[^@\s]{1,250}[.][A-Za-z]{2,24}"
LINK: Final = r"(https?://|www[.])\S+"
MIXED: Final = "[^0-9A-Za-z]*(?:[A-Za-z][^0-9]*[0-9]|[0-9][^A-Za-z]*[A-Za-z]).*"
FLAG: Final = (
    "(?i:yes|no|true|false|[tfyn01]|ja|nein|nej|nee|oui|non|si|sí|sim|não|nao|да|нет|da|ne|tak|nie|evet|hayır|kyllä|ei)"
)
FORMS: Final = (
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%Y/%m/%d",
    "%B %d, %Y",
    "%b %d, %Y",
    "%d %B %Y",
    "%d %b %Y",
    "%d-%b-%Y",
    "%B%d,%Y",
    "%d/%m/%Y %H:%M:%S",
    "%m/%d/%Y %H:%M:%S",
    "%d.%m.%Y %H:%M",
    "%m/%d/%Y %H:%M",
)
"""Formats of days and moments other than ISO's."""

LOOKED: Final = 5_000
"""Number of distinct values of a column from which its kind is told."""

_MANY: Final = 100_000
"""Number of values from which distinct ones are estimated, and columns are profiled one at a time to save memory."""

_AT_ONCE: Final = 50
"""Number of columns that one query profiles, since DuckDB prepares its many patterns anew for each query."""

_SHAPES: Final = {
    "number": NUMBER,
    "integer": INTEGER,
    "money": MONEY,
    "quantity": QUANTITY,
    "year": YEAR,
    "day": DAY,
    "moment": MOMENT,
    "email": EMAIL,
    "link": LINK,
    "flag": FLAG,
    "mixed": MIXED,
    "digits": ".*[0-9].*",
    "wordless": r"\PL*",
}
_WITH_DIGITS: Final = ("number", "integer", "money", "quantity", "year", "day", "moment")
"""Shapes whose share counts only values with a digit if nearly all have one: "various" among prices is an exception."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The profile of a column.

    Attributes:
        rows: Number of rows.
        filled: Number of rows with a value.
        distinct: Number of distinct values, exact if the column may be a key or has fewer than 100,000 values.
        shapes: Share of each shape among at most :data:`LOOKED` distinct values.
        forms: Date formats of at least 99 % of these values.
        length: Mean length of these values.
        longest: Maximum length of these values.
    """

    rows: int
    filled: int
    distinct: int
    shapes: Mapping[str, float]
    forms: tuple[str, ...]
    length: float
    longest: int

    @property
    def mixed(self) -> float:
        """Return the share of values with both a digit and a letter, as codes have."""
        return self.shapes.get("mixed", 0.0)

    @property
    def unique(self) -> bool:
        """Return True if every row has its own value."""
        return self.rows > 0 and self.filled == self.distinct == self.rows

    @property
    def distinct_share(self) -> float:
        """Return the number of distinct values per filled row."""
        return self.distinct / max(self.filled, 1)

    def mostly(self, shape: str, least: float = 0.95) -> bool:
        """Return True if at least the share ``least`` of the values has that shape."""
        return self.shapes.get(shape, 0.0) >= least


def each_value(table: StagedTable, place: int, rows: str = "") -> str:
    """Return SQL for a table's rows, with one row for each value of a column whose cells have several values."""
    if place not in table.many:
        return rows or table.table
    cell = f"c{place}"
    return f"(SELECT * REPLACE (unnest(string_split({cell}, '{MANY}')) AS {cell}) FROM {rows or table.table})"


def profiles(db: duckdb.DuckDBPyConnection, table: StagedTable) -> list[Profile]:
    """Return the profile of each column, in their order."""
    shares = ", ".join(f"avg(regexp_full_match(v, {sql_text(p)})::DOUBLE)" for p in _SHAPES.values())
    ways = ", ".join(f"avg((try_strptime(v, {sql_text(form)}) IS NOT NULL)::DOUBLE)" for form in FORMS)
    ((rows,),) = db.execute(f"SELECT count(*) FROM {table.table}").fetchall()
    out, at_once = [], _AT_ONCE if rows < _MANY else 1
    for start in range(0, len(table.columns), at_once):
        counts = _count(db, table, range(len(table.columns))[start : start + at_once], "approx_count_distinct(")
        exact = [p for p, (filled, about) in counts.items() if filled < _MANY or about > 0.9 * filled]
        counts |= _count(db, table, exact, "count(DISTINCT ")  # those of a candidate for a key are counted, too
        looked = " UNION ALL ".join(
            f"(SELECT DISTINCT {p} AS p, c{p} AS v FROM {each_value(table, p)} WHERE c{p} IS NOT NULL LIMIT {LOOKED})"
            for p in counts
        )
        found = db.execute(f"SELECT p, avg(length(v)), max(length(v)), {shares}, {ways} FROM ({looked}) GROUP BY p")
        values = {p: row for p, *row in found.fetchall()}
        out += [_profile(rows, *counts[p], values.get(p)) for p in counts]
    return out


def _count(
    db: duckdb.DuckDBPyConnection, table: StagedTable, places: Sequence[int], distinct: str
) -> dict[int, tuple[int, int]]:
    """Return how many cells of each column have a value, and how many values differ."""
    counts = [f"SELECT {p}, count(c{p}), {distinct}c{p}) FROM {each_value(table, p)}" for p in places]
    found = db.execute(" UNION ALL ".join(counts)).fetchall() if counts else []
    by_place = {p: (filled, differing) for p, filled, differing in found}
    return {p: by_place[p] for p in places}


def _profile(rows: int, filled: int, distinct: int, values: Sequence[Any] | None) -> Profile:
    """Return the profile of a column. ``values``: lengths, shapes and date formats; None if it has no value."""
    length, longest, *found = [value or 0.0 for value in values or (0.0,) * (2 + len(_SHAPES) + len(FORMS))]
    shapes = dict(zip(_SHAPES, found, strict=False))
    looked = min(distinct, LOOKED)
    if looked and is_majority(round(shapes["digits"] * looked), looked):
        shapes |= {shape: shapes[shape] / shapes["digits"] for shape in _WITH_DIGITS}
    forms = tuple(form for form, share in zip(FORMS, found[len(_SHAPES) :], strict=True) if share >= 0.99)
    return Profile(rows, filled, distinct, shapes, forms, float(length), int(longest))


def unit(db: duckdb.DuckDBPyConnection, table: StagedTable, place: int, pattern: str, groups: Sequence[int]) -> str:
    """Return the unit of all amounts of a column, "" if they differ."""
    text = " || ".join(f"regexp_extract(v, {sql_text('^(?:' + pattern + ')$')}, {group})" for group in groups)
    looked = f"SELECT DISTINCT c{place} AS v FROM {table.table} WHERE c{place} IS NOT NULL LIMIT {LOOKED}"
    found = db.execute(f"SELECT DISTINCT {text} FROM ({looked}) WHERE {text} <> '' LIMIT 2").fetchall()
    return str(found[0][0]) if len(found) == 1 else ""
