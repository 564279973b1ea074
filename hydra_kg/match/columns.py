"""Which columns of two feeds are compared, and as what: text, long text, number or date, by what their cells hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hydra_kg.match.model import ComparedColumn, Kind

if TYPE_CHECKING:
    import duckdb

LONG: Final = 5.0
"""Words of a cell on average from which a text is a long one, whose spelling as a whole says little."""

MOST: Final = 16
"""Columns that are compared: those that most rows have."""

LEAST_ALIKE: Final = 0.15
"""Share of common values, of all that two columns of different names have, from which they are one column."""

_LEAST_FILLED: Final = 0.02

_PROFILE: Final = r"""
SELECT side, col, count(*), count(DISTINCT text), avg(len(string_split(trim(text), ' '))),
       count(*) FILTER (try_cast(replace(text, ',', '') AS DOUBLE) IS NOT NULL),
       count(*) FILTER (regexp_matches(text, '^[0-9]{4}-[0-9]{2}-[0-9]{2}')
                        OR regexp_full_match(text, '(18|19|20)[0-9]{6}')),
       count(*) FILTER (regexp_full_match(text, '0[0-9]+'))
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


@dataclass(frozen=True, slots=True)
class _Profile:
    filled: int
    distinct: int
    words: float
    kind: Kind


def choose_columns(db: duckdb.DuckDBPyConnection, *, rows: Sequence[int]) -> tuple[ComparedColumn, ...]:
    """The columns of the table ``cell`` (side, id, col, text) by which rows can be compared, those that most rows have
    first. With two sides: those that both have by name, then those whose values are alike."""
    sides = range(len(rows))
    profiles = [_profiles(db, side) for side in sides]
    if len(rows) == 1:
        found = [_column(name, name, p, p) for name, p in profiles[0].items() if p.filled >= _LEAST_FILLED * rows[0]]
    else:
        left, right = profiles
        found = [_column(name, name, left[name], right[name]) for name in left if name in right]
        rest = [sorted(set(own) - {c.left for c in found}) for own in (left, right)]
        found += _alike(db, rest, left, right) if all(rest) else []
    found.sort(key=lambda c: (-c.filled, c.name))
    return tuple(c for c in found if c.distinct > 1)[:MOST]


def _alike(
    db: duckdb.DuckDBPyConnection,
    names: Sequence[Sequence[str]],
    left: Mapping[str, _Profile],
    right: Mapping[str, _Profile],
) -> list[ComparedColumn]:
    """Columns of different names, the likest first, each once."""
    rows = db.execute(_ALIKE, {"columns": [*names[0], *names[1]]}).fetchall()
    taken: set[tuple[int, str]] = set()
    found = []
    for a, b, alike in rows:
        if a not in names[0] or b not in names[1] or {(0, a), (1, b)} & taken or alike < LEAST_ALIKE:
            continue
        if left[a].distinct < 5 or right[b].distinct < 5:  # yes and no are everybody's values
            continue
        taken |= {(0, a), (1, b)}
        found.append(_column(a, b, left[a], right[b]))
    return found


def _column(left: str, right: str, a: _Profile, b: _Profile) -> ComparedColumn:
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
    found = {}
    for at, name, filled, distinct, words, numbers, dates, zeros in db.execute(_PROFILE).fetchall():
        if at != side:
            continue
        kind: Kind = "long text" if words > LONG else "text"
        if dates > 0.9 * filled:
            kind = "date"
        elif numbers > 0.95 * filled and not _is_code(filled, distinct, zeros):
            kind = "number"
        found[name] = _Profile(filled, distinct, words, kind)
    return found


def _is_code(filled: int, distinct: int, zeros: int) -> bool:
    """Digits that name something (a telephone, a bar code) rather than measure: hardly any repeats, or zeros lead."""
    return zeros > 0.02 * filled or (filled > 20 and distinct > 0.98 * filled)
