"""Recognise columns of codes (part numbers, article numbers) in which both feeds number things in the same way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from hydra_kg.text.quoting import sql_text

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
_ALIKE: Final = """
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
    alike, by_chance = db.execute(common + _ALIKE.format(sampled=_SAMPLED, **names)).fetchall()[0]
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
