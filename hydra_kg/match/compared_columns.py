"""Choose the columns of two feeds to compare, and the kind of each: text, long text, code, number or date."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from hydra_kg.match.model import ComparedColumn, Kind
from hydra_kg.text.quoting import sql_text
from hydra_kg.util.fast_dataclass import dataclass, replace

if TYPE_CHECKING:
    import duckdb

ROW_KEY: Final = "row key"
"""Column of the identifiers of a feed's rows. It is compared if it has codes that both feeds use."""

SHARED_CODES: Final = 2
"""Smallest number of common codes from which two columns may use the same numbering."""

SHARED_SHARE: Final = 0.03
"""Smallest share of the smaller column's codes that must be in the other column as well."""

_COUNTER_GAPS: Final = 1.5
_COUNTED: Final = 0.9
_SAMPLED: Final = 2_000

CODE: Final = r"""regexp_full_match(text, '[\pL\pN]+([-/_.][\pL\pN]+)*') AND regexp_matches(text, '\pL')
    AND regexp_matches(text, '[0-9]|[-/_]') AND len(text) >= 4"""
"""SQL condition: a cell has the shape of a code, such as RSA1603, CRN-LH or 910-000692B."""

_COMMON: Final = """
WITH a AS (SELECT replace(plain(text), ' ', '') AS code, any_value(id) AS id FROM cell
           WHERE side = 0 AND col = {left} GROUP BY 1),
     b AS (SELECT replace(plain(text), ' ', '') AS code, any_value(id) AS id FROM cell
           WHERE side = 1 AND col = {right} GROUP BY 1)
"""
_SIZES: Final = (
    "SELECT (SELECT count(*) FROM a), (SELECT count(*) FROM b), (SELECT count(*) FROM a JOIN b USING (code))"
)
_CODES_ALIKE: Final = """
, pair AS (SELECT a.id AS l, b.id AS r, row_number() OVER (ORDER BY code) AS n FROM a JOIN b USING (code)
           ORDER BY code LIMIT {sampled}),
  words AS (SELECT id, list_distinct(flatten(list(string_split(plain(text), ' ')))) AS t FROM cell
            WHERE (side = 0 AND col <> {left} AND id IN (SELECT l FROM pair))
            OR (side = 1 AND col <> {right} AND id IN (SELECT r FROM pair)) GROUP BY id),
  other AS (SELECT p.l, q.r FROM pair p JOIN pair q ON q.n = p.n % (SELECT count(*) FROM pair) + 1)
SELECT (SELECT avg(len(list_intersect(x.t, y.t)) / least(len(x.t), len(y.t))) FROM pair JOIN words x ON x.id = l
        JOIN words y ON y.id = r),
       (SELECT avg(len(list_intersect(x.t, y.t)) / least(len(x.t), len(y.t))) FROM other JOIN words x ON x.id = l
        JOIN words y ON y.id = r)
"""
_NUMBERED: Final = "SELECT text FROM cell WHERE side = {side} AND col = {col} ORDER BY text"


def share_codes(db: duckdb.DuckDBPyConnection, left: str, right: str) -> bool:
    """Return True if equal codes of two columns mean one thing.

    Some codes must be common to both columns. If the codes merely count rows (P001 …), rows with equal codes must also
    have more words in common than other rows.
    """
    names = {"left": sql_text(left), "right": sql_text(right)}
    common = _COMMON.format(**names)
    own, other, both = db.execute(common + _SIZES).fetchall()[0]
    if both < SHARED_CODES or both < SHARED_SHARE * min(own, other):
        return False
    columns = ((0, left), (1, right))
    if not any(_is_counter(db, side, col) for side, col in columns):
        return True
    alike, by_chance = db.execute(common + _CODES_ALIKE.format(sampled=_SAMPLED, **names)).fetchall()[0]
    return alike is not None and alike > 2 * (by_chance or 0.0) + 0.05


def _is_counter(db: duckdb.DuckDBPyConnection, side: int, col: str) -> bool:
    texts = [t for (t,) in db.execute(_NUMBERED.format(side=side, col=sql_text(col))).fetchall()]
    return counts_up(texts)


def counts_up(codes: Sequence[str]) -> bool:
    """Return True if nearly all codes have one prefix and numbers without large gaps, such as P001, P002 and P004."""
    found = [m for m in (re.fullmatch(r"(.*?)(\d+)", code) for code in codes) if m]
    prefixes: dict[str, list[int]] = {}
    for match in found:
        prefixes.setdefault(match[1], []).append(int(match[2]))
    numbers = max(prefixes.values(), key=len, default=[])
    if len(numbers) < max(2.0, _COUNTED * len(codes)):
        return False
    return max(numbers) - min(numbers) + 1 <= _COUNTER_GAPS * len(numbers)


LONG: Final = 5.0
"""Mean number of words of a cell from which a text is long, so that its spelling as a whole tells little."""

MOST: Final = 16
"""Largest number of columns that are compared: those with a cell in most rows."""

LEAST_ALIKE: Final = 0.15
"""Share of common values among all values of two columns with different names, from which they are one column."""

LEAST_ALIKE_WORDS: Final = 0.3
"""Share of common words, by rarity, from which columns are one: "Elbtal Logistik AG", "Elbtal Logistics"."""

_LEAST_FILLED: Final = 0.02
_CODES: Final = 0.9

_PROFILE: Final = rf"""
SELECT side, col, count(*), count(DISTINCT text), avg(len(string_split(trim(text), ' '))),
       count(*) FILTER (try_cast(replace(text, ',', '') AS DOUBLE) IS NOT NULL),
       count(*) FILTER (regexp_matches(text, '^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}')
                        OR regexp_full_match(text, '(18|19|20)[0-9]{{6}}')),
       count(*) FILTER (regexp_full_match(text, '0[0-9]+')), count(*) FILTER ({CODE})
FROM cell GROUP BY side, col ORDER BY side, col
"""
_ALIKE: Final = """
WITH v AS (SELECT DISTINCT side, col, replace(folded(text), ' ', '') AS text FROM cell
           WHERE list_contains($columns, col)),
     n AS (SELECT side, col, count(*) AS n FROM v GROUP BY ALL),
     common AS (SELECT a.col AS left, b.col AS right, count(*) AS k FROM v a JOIN v b ON a.text = b.text
                AND a.side = 0 AND b.side = 1 GROUP BY ALL)
SELECT c.left, c.right, k / (l.n + r.n - k) AS alike FROM common c
JOIN n l ON l.side = 0 AND l.col = c.left JOIN n r ON r.side = 1 AND r.col = c.right
WHERE k > 1 ORDER BY alike DESC, c.left, c.right
"""
_ALIKE_WORDS: Final = r"""
WITH t AS (SELECT side, col, unnest(list_distinct(string_split(plain(text), ' '))) AS t FROM cell
           WHERE list_contains($columns, col)),
     df AS (SELECT t, ln(1 + $rows / count(*)) ^ 2 AS w FROM t GROUP BY t),
     v AS (SELECT DISTINCT side, col, t, w FROM t JOIN df USING (t) WHERE len(t) > 2 AND regexp_matches(t, '\pL')),
     n AS (SELECT side, col, sum(w) AS n FROM v GROUP BY ALL),
     common AS (SELECT a.col AS left, b.col AS right, sum(a.w) AS k, count(*) AS words FROM v a JOIN v b ON a.t = b.t
                AND a.side = 0 AND b.side = 1 GROUP BY ALL)
SELECT c.left, c.right, k / least(l.n, r.n) AS alike FROM common c
JOIN n l ON l.side = 0 AND l.col = c.left JOIN n r ON r.side = 1 AND r.col = c.right
WHERE words > 2 ORDER BY alike DESC, c.left, c.right
"""


@dataclass(frozen=True, slots=True)
class _Profile:
    filled: int
    distinct: int
    words: float
    kind: Kind


def choose_columns(db: duckdb.DuckDBPyConnection, *, rows: Sequence[int]) -> tuple[ComparedColumn, ...]:
    """Return the columns of ``cell`` (side, id, col, text) to compare, fullest first.

    Columns of two feeds are paired by name, then by similar values.
    """
    sides = range(len(rows))
    profiles = [_profiles(db, side) for side in sides]
    if len(rows) == 1:
        own = {name: p for name, p in profiles[0].items() if name != ROW_KEY and p.filled >= _LEAST_FILLED * rows[0]}
        found = [_drop_codes(_column(name, name, p, p)) for name, p in own.items()]
    else:
        left, right = profiles
        both = [name for name in left if name in right and name != ROW_KEY]
        found = [_check_numbering(db, _column(name, name, left[name], right[name])) for name in both]
        rest = [sorted(set(own) - {c.left for c in found}) for own in (left, right)]
        found += _alike(db, rest, left, right, rows=sum(rows)) if all(rest) else []
    found.sort(key=lambda c: (-c.filled, c.name))
    return tuple(c for c in found if c.distinct > 1)[:MOST]


def _check_numbering(db: duckdb.DuckDBPyConnection, column: ComparedColumn) -> ComparedColumn:
    """Return the column, as a text if it has codes but its feeds do not use the same numbering."""
    return column if column.kind != "code" or share_codes(db, column.left, column.right) else _drop_codes(column)


def _drop_codes(column: ComparedColumn) -> ComparedColumn:
    return replace(column, kind="text") if column.kind == "code" else column


def _alike(
    db: duckdb.DuckDBPyConnection,
    names: Sequence[Sequence[str]],
    left: Mapping[str, _Profile],
    right: Mapping[str, _Profile],
    *,
    rows: int,
) -> list[ComparedColumn]:
    """Return pairs of columns with different names, each column once: first by codes, then by values, then by words."""
    columns = {"columns": [*names[0], *names[1]]}
    taken: set[tuple[int, str]] = set()
    found = []

    def add(a: str, b: str) -> None:
        taken.update({(0, a), (1, b)})
        found.append(_column(a, b, left[a], right[b]))

    def is_open(a: str, b: str) -> bool:
        return a in names[0] and b in names[1] and not {(0, a), (1, b)} & taken

    values = [row for row in db.execute(_ALIKE, columns).fetchall() if is_open(*row[:2])]
    for a, b, _ in values:
        if is_open(a, b) and left[a].kind == right[b].kind == "code" and share_codes(db, a, b):
            add(a, b)
    taken |= {(side, ROW_KEY) for side in (0, 1)}
    for a, b, alike in values:
        # Columns with few values (yes, no) share them by chance.
        if is_open(a, b) and alike >= LEAST_ALIKE and min(left[a].distinct, right[b].distinct) >= 5:
            add(a, b)
    for a, b, alike in db.execute(_ALIKE_WORDS, {**columns, "rows": rows}).fetchall():
        if is_open(a, b) and alike >= LEAST_ALIKE_WORDS and left[a].kind == right[b].kind == "text":
            add(a, b)
    return [c if c.kind != "code" else _check_numbering(db, c) for c in found]


def _column(left: str, right: str, a: _Profile, b: _Profile) -> ComparedColumn:
    """Return a column of both feeds with the kind that fits both."""
    kinds = {a.kind, b.kind}
    if len(kinds) == 1:
        kind = a.kind
    elif kinds <= {"text", "long text"}:
        kind = "long text" if (a.words * a.filled + b.words * b.filled) / (a.filled + b.filled) > LONG else "text"
    else:
        kind = "text"
    filled = a.filled if a is b else a.filled + b.filled
    return ComparedColumn(left, right, kind, filled, max(a.distinct, b.distinct), "name" if left == right else "values")


def _profiles(db: duckdb.DuckDBPyConnection, side: int) -> dict[str, _Profile]:
    """Return the profile of each column of a feed."""
    found = {}
    for at, name, filled, distinct, words, numbers, dates, zeros, codes in db.execute(_PROFILE).fetchall():
        if at != side:
            continue
        kind: Kind = "long text" if words > LONG else "text"
        if dates > 0.9 * filled:
            kind = "date"
        elif numbers > 0.95 * filled and not _is_code(filled, distinct, zeros):
            kind = "number"
        elif codes > _CODES * filled and distinct > _CODES * filled:
            kind = "code"
        found[name] = _Profile(filled, distinct, words, kind)
    return found


def _is_code(filled: int, distinct: int, zeros: int) -> bool:
    """Return True if digits name things (a telephone, a bar code) rather than measure.

    Hardly any then occur twice, or some begin with 0.
    """
    return zeros > 0.02 * filled or (filled > 20 and distinct > 0.98 * filled)
