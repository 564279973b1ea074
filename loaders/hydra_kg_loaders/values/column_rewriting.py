"""Rewrite the columns of a staged table so that programs can compare their values, and report the changes.

One mechanism serves every table: the majority of a column's first distinct values decides its kind. Missing values
become empty cells, numbers and days get their canonical form, and exceptions are unchanged and listed. Cells in
canonical form are not touched.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from hydra_kg.language.lexicon import list_words
from hydra_kg.text.quoting import sql_text
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg_loaders.values.written_numbers import (
    COMMA,
    POINT,
    NumberStyle,
    Order,
    canonical_sql,
    choose_order,
    choose_style,
    convert,
    find_common_unit,
    is_plain,
    is_separated,
    is_unit,
    read_day,
    read_number,
)

if TYPE_CHECKING:
    import duckdb

MAJORITY: Final = 0.8
"""Share of a column's distinct values that decides its kind. At most as many without a digit are exceptions."""
RULE: Final = "empty cells that say n/a or the like; write numbers and dates of local form as programs do"
"""Description of the rule ``values`` of the loaders of tables."""
MISSING: Final = (
    *("n/a", "n.a.", "n.a", "#n/a", "na", "nan", "null", "(null)", "none", "nil", "unknown", "unk", "undefined"),
    *("not available", "not known", "not applicable", "missing", "tbd", "tba", "tbc", "t.b.d.", "to be determined"),
    *("-", "--", "---", "–", "—", "?", "??", "???", ".", "..", "…", "k.a.", "unbekannt", "inconnu", "desconocido"),
)
"""Texts in lower case that mean a missing value in a column of numbers, days, or yes and no."""

_MARKS: Final = tuple(text for text in MISSING if " " not in text and not text.isalpha())
"""Those of them that are not words, such as n/a, k.A. and "?". They mean a missing value in a column of texts too."""

_HALF: Final = 0.3
"""Share of values of a kind from which a column of another kind is reported as mixed."""
_ROWS: Final = 20_000
_DISTINCT: Final = 2_000
"""Number of rows, and of their distinct values, by which a kind is chosen."""
_MOST_DISTINCT: Final = 200_000
"""Largest number of distinct values of a column of days, or of amounts in several units, that is rewritten."""
_SHOWN: Final = 3
_PLAIN: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:[.][0-9]+)?")
_ISO: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d{1,2}:\d\d(?::\d\d(?:[.]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?")
_CODE: Final = re.compile(r"[-+]?0[0-9]+")
_YES: Final = list_words("yes_in_cells")
_NO: Final = list_words("no_in_cells")
_FLAGS: Final = (_YES | _NO) - frozenset("01")
"""Words for yes and no. 0 and 1 are not among them, because a column of these may count something."""
_FEW: Final = 3
"""Number of values of a kind from which a single other one is an exception, however few values there are."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """The kind of a column: `number` with a style, `day` with an order, or `flag`.

    `fits` is the number of distinct values of that kind.
    """

    name: str
    fits: int = 0
    style: NumberStyle = POINT
    order: Order | None = "dmy"
    units: tuple[str, ...] = ()


def share_sql(pattern: str) -> str:
    """Return SQL for the share of the values ``text`` that match a pattern.

    If nearly all values have a digit, only these count.
    """
    digits = "avg(regexp_matches(text, '[0-9]')::DOUBLE)"
    share = f"avg(regexp_full_match(text, {sql_text(pattern)})::DOUBLE)"
    some = f"{digits} >= {MAJORITY} OR (count(*) > {_FEW} AND round((1 - {digits}) * count(*)) = 1)"
    return f"{share} / CASE WHEN {some} THEN {digits} ELSE 1 END"


def rewrite_columns(
    db: duckdb.DuckDBPyConnection,
    table: str,
    names: Sequence[str],
    *,
    skip: Collection[int] = (),
    label: str = "",
    first: int = 0,
) -> list[str]:
    """Rewrite the cells of ``table`` (row, c0, c1 …) and return remarks for people.

    Args:
        skip: Columns that are not changed.
        label: The name of the table in the remarks.
        first: The number of the row before its first one.
    """
    samples = {n: _sample(db, table, n) for n in range(len(names)) if n not in skip}
    comma = _has_decimal_commas(samples.values())
    (size,) = db.execute(f"SELECT count(*) FROM {table}").fetchall()[0]
    out: list[str] = []
    for n, values in samples.items():
        called = f"{label}, {names[n]}" if label else names[n]
        stated = [v for v in values if v.casefold() not in MISSING]
        if not stated or any(_CODE.fullmatch(v) for v in stated):
            continue
        sought = len(values) > len(stated) or len(values) == _DISTINCT or size > _ROWS
        if said := list(_rewrite(db, table, n, stated, comma=comma, first=first, sought=sought)):
            out.append(f"{called}: {'; '.join(said)}")
    return out


def _sample(db: duckdb.DuckDBPyConnection, table: str, place: int) -> list[str]:
    rows = f"SELECT c{place} AS v FROM {table} LIMIT {_ROWS}"
    sql = f"SELECT v FROM ({rows}) WHERE v IS NOT NULL GROUP BY v ORDER BY count(*) DESC, v LIMIT {_DISTINCT}"
    return [text for (text,) in db.execute(sql).fetchall()]


def _has_decimal_commas(samples: Collection[Sequence[str]]) -> bool:
    """Return True if columns with decimal commas outnumber those with decimal points."""
    votes = 0
    for values in samples:
        some = [v for v in values[:200] if any(ch.isdigit() for ch in v)]
        counts = {style: sum(read_number(v, style) is not None for v in some) for style in (POINT, COMMA)}
        if max(counts.values()) >= MAJORITY * max(1, len(some)):
            votes += (counts[COMMA] > counts[POINT]) - (counts[POINT] > counts[COMMA])
    return votes > 0


def _rewrite(
    db: duckdb.DuckDBPyConnection, table: str, n: int, stated: Sequence[str], *, comma: bool, first: int, sought: bool
) -> Iterator[str]:
    """Rewrite one column and yield remarks. `sought` says whether it may have missing values."""
    kind = _kind_of(stated, comma=comma)
    if not is_majority(kind.fits, len(stated)) or (kind.fits < len(stated) and _has_odd_codes(stated, kind)):
        if kind.fits >= _HALF * len(stated) and len(stated) > _SHOWN and not _has_odd_codes(stated, kind):
            share = f"{kind.fits:,} of {len(stated):,} different values"
            yield f"{share} are {_plural(kind)}, the others text; stored as text"
        if sought and len(stated) > 1:
            yield from _remove_missing(db, table, n, _MARKS)
        return
    if kind.name == "day" and kind.order is None:
        yield f"day or month first is not clear (“{stated[0]}”); stored as text. Write dates as 2021-12-31"
        return
    if sought:
        yield from _remove_missing(db, table, n)
    if kind.name == "number" and kind.style is not POINT and not all(is_plain(v, kind.style) for v in stated):
        yield from _rewrite_numbers(db, table, n, stated, kind)
    elif kind.name == "day" and not all(map(_ISO.fullmatch, stated)):
        yield from _rewrite_days(db, table, n, stated, kind)
    elif kind.name == "flag":
        yield from _rewrite_flags(db, table, n, stated)
    if len(kind.units) > 1 and any(map(is_unit, kind.units)):
        yield from _rewrite_units(db, table, n, kind)
    if kind.fits < len(stated):
        yield from _exceptions(db, table, n, [v for v in stated if not _fits(v, kind)], kind, first)


def _kind_of(stated: Sequence[str], *, comma: bool) -> _Kind:
    """Return the kind of most values."""
    if all(map(_PLAIN.fullmatch, stated)) and not (comma and is_separated(stated)):
        return _Kind("number", len(stated))
    flags = sum(v.casefold() in _FLAGS for v in stated)
    if flags >= MAJORITY * len(stated):
        return _Kind("flag", flags)
    order, days = choose_order([v for v in stated if not _ISO.fullmatch(v)])
    iso = sum(_ISO.fullmatch(v) is not None for v in stated)
    style, numbers = choose_style(stated, comma=comma)
    if days + iso > numbers:
        return _Kind("day", days + iso, order=order)
    units = Counter(found[1] for v in stated if (found := read_number(v, style)))
    named = sorted((u for u in units if u), key=lambda u: (-units[u], u))
    unknown = [u for u in named if not is_unit(u)]
    # Many words behind numbers are parts of addresses and titles.
    if unknown and len(named) > max(1, (numbers - units[""]) / 2):
        return _Kind("number", units[""], style)
    return _Kind("number", numbers, style, units=tuple(named))


def _fits(value: str, kind: _Kind) -> bool:
    if kind.name == "number":
        return read_number(value, kind.style) is not None
    if kind.name == "day":
        return _ISO.fullmatch(value) is not None or read_day(value, kind.order or "dmy") is not None
    return value.casefold() in _FLAGS


def is_majority(count: int, total: int) -> bool:
    """Return True if most of a column's values are of a kind, or all but one: £4, £7.50, £9 and "free"."""
    return count >= MAJORITY * total or count == total - 1 >= _FEW


def _has_odd_codes(stated: Sequence[str], kind: _Kind) -> bool:
    """Return True if more than a few exceptions have digits, as codes do ("12A") and remarks do not ("various")."""
    if kind.name == "day":
        return False
    odd = sum(any(ch.isdigit() for ch in v) for v in stated if not _fits(v, kind))
    return odd > 0.05 * len(stated)


def _remove_missing(db: duckdb.DuckDBPyConnection, table: str, n: int, marks: Sequence[str] = MISSING) -> Iterator[str]:
    """Empty the cells with missing values."""
    some = f"NOT (c{n} >= '0' AND c{n} < ':') AND lower(trim(c{n})) IN ({', '.join(map(sql_text, marks))})"
    found = db.execute(f"SELECT c{n}, count(*) FROM {table} WHERE {some} GROUP BY 1 ORDER BY 2 DESC, 1").fetchall()
    if found:
        db.execute(f"UPDATE {table} SET c{n} = NULL WHERE {some}")
        total = sum(count for _, count in found)
        shown = ", ".join(f"“{text}” {count:,}" for text, count in found[:_SHOWN])
        yield f"{total:,} missing value{'s' * (total > 1)} ({shown})"


def _rewrite_numbers(
    db: duckdb.DuckDBPyConnection, table: str, n: int, stated: Sequence[str], kind: _Kind
) -> Iterator[str]:
    """Give numbers the form that programs read. Those with decimal points are recognised as they are: 1,250.5."""
    new = canonical_sql(f"c{n}", kind.style)
    db.execute(f"UPDATE {table} SET c{n} = {new} WHERE c{n} IS NOT NULL")
    shown = next((v for v in stated if read_number(v, kind.style) and is_separated([v])), "")
    if shown:
        value = read_number(shown, kind.style)
        yield f"“{shown}” becomes {value[0]:.15g}" if value else ""


def _rewrite_days(
    db: duckdb.DuckDBPyConnection, table: str, n: int, stated: Sequence[str], kind: _Kind
) -> Iterator[str]:
    """Give days the ISO form."""
    order = kind.order or "dmy"
    distinct = db.execute(f"SELECT DISTINCT c{n} FROM {table} WHERE c{n} IS NOT NULL LIMIT {_MOST_DISTINCT}").fetchall()
    pairs = [(text, new) for (text,) in distinct if not _ISO.fullmatch(text) and (new := read_day(text, order))]
    if not pairs:
        return
    _replace(db, table, n, dict(pairs))
    shown = next((v for v in stated if read_day(v, order) and not _ISO.fullmatch(v)), "")
    yield f"“{shown}” becomes {read_day(shown, order)}"


def _rewrite_flags(db: duckdb.DuckDBPyConnection, table: str, n: int, stated: Sequence[str]) -> Iterator[str]:
    """Write yes and no in the most frequent form of the column: ``y`` and ``Yes`` become ``yes``."""
    rewrites: dict[str, str] = {}
    for words in (_YES, _NO):
        same = [v for v in stated if v.casefold() in words]
        usual = next((v for v in same if len(v) > 1), "".join(same[:1]))
        rewrites |= {v: usual for v in same if v != usual}
    if rewrites:
        _replace(db, table, n, rewrites)
        shown = ", ".join(f"“{old}” becomes {new}" for old, new in list(rewrites.items())[:_SHOWN])
        yield shown


def _rewrite_units(db: duckdb.DuckDBPyConnection, table: str, n: int, kind: _Kind) -> Iterator[str]:
    """Convert the amounts of a column to their most frequent unit, if all have the same measure."""
    several = f"several units ({', '.join(kind.units)})"
    unit = find_common_unit(kind.units)
    if not unit:
        yield f"{several}, which cannot be converted; the amounts are not compared or added up"
        return
    distinct = f"SELECT DISTINCT c{n} FROM {table} WHERE c{n} IS NOT NULL LIMIT {_MOST_DISTINCT}"
    rewrites = {}
    for (text,) in db.execute(distinct).fetchall():
        amount = read_number(text, POINT)
        if amount is not None and amount[1] and (new := convert(amount, unit)) != text:
            rewrites[text] = new
    _replace(db, table, n, rewrites)
    shown = min(rewrites.items(), default=None)
    yield f"{several}; converted to {unit}" + (f": “{shown[0]}” becomes {shown[1]}" if shown else "")


def _replace(db: duckdb.DuckDBPyConnection, table: str, n: int, rewrites: Mapping[str, str]) -> None:
    """Replace texts of a column."""
    db.execute("CREATE OR REPLACE TEMP TABLE rewrites (old VARCHAR, new VARCHAR)")
    db.execute(
        "INSERT INTO rewrites SELECT unnest($1::VARCHAR[]), unnest($2::VARCHAR[])", [[*rewrites], [*rewrites.values()]]
    )
    db.execute(f"UPDATE {table} SET c{n} = new FROM rewrites WHERE c{n} = old")
    db.execute("DROP TABLE rewrites")


def _exceptions(
    db: duckdb.DuckDBPyConnection, table: str, n: int, odd: Sequence[str], kind: _Kind, first: int
) -> Iterator[str]:
    """Yield the cells of another kind than the column's, with their rows."""
    some = ", ".join(map(sql_text, odd))
    found = db.execute(f"SELECT row, c{n} FROM {table} WHERE c{n} IN ({some}) ORDER BY row").fetchall()
    shown = ", ".join(f"“{text}” in row {row - first}" for row, text in found[:_SHOWN])
    more = f" and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
    cells = f"{len(found):,} cells are not {_plural(kind)}" if len(found) > 1 else f"1 cell is not {_ONE[kind.name]}"
    yield f"{cells} ({shown}{more}); stored as text"


_ONE: Final = {"number": "a number", "day": "a date", "flag": "yes or no"}


def _plural(kind: _Kind) -> str:
    return {"number": "numbers", "day": "dates", "flag": "yes or no"}[kind.name]
