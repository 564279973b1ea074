"""Compare candidate pairs as whole rows: common words, common codes, spelling of the names, and words left over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from hydra_kg.match.model import TEXTS, ComparedColumn
from hydra_kg.match.splink_rows import WEIGHT_BITS, shared_weights_sql
from hydra_kg.util.fast_dataclass import dataclass

if TYPE_CHECKING:
    import duckdb

CODE_ROWS: Final = 3
"""Rows of a feed that may share a code: the few variants of a model share its number, hundreds of rows share a unit."""

CALLED: Final = frozenset({"name", "title", "label"})
"""Headings of columns that hold names."""

CALLED_LEAD: Final = 1.5

NAME_LENGTH: Final = 200
"""Characters of a name whose spelling is compared."""

PART: Final = 1_000_000
"""Pairs that are compared at a time."""

_SCALE: Final = 250
CODE_CHANGES: Final = 2
"""Characters by which two codes of one shape may differ to be near: RSA1603 and RSA1606, 500GB and 320GB."""

_FIELDS: Final = ("words", "letters", "code", "left_over", "near_codes", "codes")

_TOKENS: Final = f"""
CREATE TABLE row_token AS
    WITH t AS (SELECT DISTINCT side, id, unnest(tokens(text)) AS t FROM value WHERE text_like),
         df AS (SELECT t, count(*) FILTER (side = 0) AS n0, count(*) FILTER (side = 1) AS n1 FROM t GROUP BY t),
         w AS (SELECT *, ln(1 + $rows / (n0 + n1)) ^ 2 AS w, is_code(t) AND greatest(n0, n1) <= {CODE_ROWS} AS code
               FROM df)
    SELECT side, id, w, code, t AS word,
           (hash(t) & ~{WEIGHT_BITS}::UBIGINT) | least(round(w * {_SCALE}), {WEIGHT_BITS})::UBIGINT AS t
    FROM t JOIN w USING (t)
"""
_PROFILES: Final = r"""
CREATE TABLE profile AS
    WITH words AS (SELECT side, id, list(t ORDER BY t) AS l, sqrt(sum(w)) AS s, list(t) FILTER (code) AS k,
                          list(word ORDER BY word) FILTER (len(word) > 2 AND regexp_matches(word, '[0-9]')
                                                    AND regexp_matches(word, '\pL')) AS numbered
                   FROM row_token GROUP BY side, id),
         named AS (SELECT r.side, r.id, list(r.t) AS v, sum(r.w) AS vs FROM row_token r JOIN row_name n
                   ON n.side = r.side AND n.id = r.id WHERE list_contains(n.words, r.word) GROUP BY ALL)
    SELECT words.*, v, vs, trigrams(n.text) AS g, whole.text AS text FROM words LEFT JOIN named USING (side, id)
    LEFT JOIN row_name n USING (side, id)
    LEFT JOIN (SELECT side, id, replace(string_agg(plain(text), ' ' ORDER BY col), ' ', '') AS text FROM value
               WHERE text_like GROUP BY side, id) whole USING (side, id)
"""


@dataclass(frozen=True, slots=True, eq=False)
class RowEvidence:
    """Common features of pairs of whole rows, as arrays of float32 (n,) in the order of the pairs.

    words: cosine of the weighted words of both rows.
    letters: cosine of the character trigrams of their names.
    code: rarity of the rarest code that both have, from 0 (no common code) to 1 (the rarest possible code).
    left_over: weight of the words in a name that the other row lacks, for the row with less of them.
    near_codes: 1 if the rows share no code, and each has a word of letters and digits that the other lacks, of one
    shape and nearly equal (two sizes or models); else 0.
    codes: 1 if the rows have an equal code in a column of codes, -1 if they have different ones, 0 if one has none.
    """

    words: npt.NDArray[np.float32]
    letters: npt.NDArray[np.float32]
    code: npt.NDArray[np.float32]
    left_over: npt.NDArray[np.float32]
    near_codes: npt.NDArray[np.float32]
    codes: npt.NDArray[np.float32]


def read_evidence(
    db: duckdb.DuckDBPyConnection, columns: Sequence[ComparedColumn], *, rows: Sequence[int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], RowEvidence]:
    """Compare the pairs of ``candidate`` as whole rows; return left ids, right ids and evidence, in that order.

    Pairs are ordered by left id, then by right id.
    """
    db.execute(_TOKENS, {"rows": sum(rows)})
    db.execute(
        f"CREATE TABLE row_name AS SELECT side, id, text, string_split(text, ' ') AS words FROM ({_names(columns)})"
    )
    db.execute(_PROFILES)
    total = db.execute("SELECT count(*) FROM candidate").fetchall()[0][0]
    ends = np.empty((2, total), np.int64)
    found = np.empty((len(_FIELDS), total), np.float32)
    at = 0
    for low in range(0, total, PART):
        page = db.execute(_compare_pairs_sql(columns, sum(rows), low)).fetchnumpy()
        size = len(page["l"])
        ends[0, at : at + size], ends[1, at : at + size] = page["l"], page["r"]
        for row, name in enumerate(_FIELDS):
            found[row, at : at + size] = np.nan_to_num(np.ma.filled(page[name], 0.0))
        at += size
    for table in ("row_token", "row_name", "profile"):
        db.execute(f"DROP TABLE {table}")
    order = np.lexsort((ends[1], ends[0]))
    return ends[0][order], ends[1][order], RowEvidence(*found[:, order])


def _names(columns: Sequence[ComparedColumn]) -> str:
    """Return SQL for each row's name: its text in the most distinctive column, preferably one with a name's heading."""

    def apart(i: int) -> float:
        column = columns[i]
        called = not CALLED.isdisjoint((column.left, column.right))
        return column.filled * column.distinct * (CALLED_LEAD if called else 1.0)

    texts = [i for i, c in enumerate(columns) if c.kind in TEXTS]
    texts.sort(key=lambda i: -apart(i))
    best = f"list_position({texts}, col)"
    return (
        f"SELECT side, id, arg_min(left(plain(text), {NAME_LENGTH}), {best}) AS text FROM value"
        " WHERE text_like AND plain(text) IS NOT NULL GROUP BY side, id"
    )


def _compare_pairs_sql(columns: Sequence[ComparedColumn], rows: int, low: int) -> str:
    """Return SQL for the evidence of the pairs from row ``low`` of ``candidate`` on."""
    most = float(np.log(1 + rows) ** 2)
    rarest = float(np.log(1 + rows / 2))

    def sum_(a: str, b: str) -> str:
        return f"coalesce(list_sum({shared_weights_sql(a, b)}), 0) / {_SCALE}.0"

    spare = [f"coalesce({x}.vs, 0) - {sum_(f'{x}.v', f'{y}.l')}" for x, y in (("a", "b"), ("b", "a"))]
    code = f"coalesce(list_max({shared_weights_sql('a.k', 'b.k')}), 0)"
    near = (
        "CASE WHEN len(list_filter(a.numbered, lambda s: NOT contains(b.text, s)"
        f" AND len(list_filter(b.numbered, lambda t: len(t) = len(s) AND levenshtein(s, t) <= {CODE_CHANGES}"
        " AND shape(s) = shape(t) AND NOT contains(a.text, t))) > 0)) > 0 THEN 1 ELSE 0 END"
    )
    numbered = [i for i, c in enumerate(columns) if c.kind == "code"]
    equal = [f"CASE x{i}.text = y{i}.text WHEN true THEN 1 WHEN false THEN -1 ELSE 0 END" for i in numbered]
    codes = (
        f"CASE WHEN greatest(0, {', '.join(equal)}) = 1 THEN 1 ELSE least(0, {', '.join(equal)}) END" if equal else "0"
    )
    joins = "".join(
        f" LEFT JOIN value x{i} ON x{i}.side = 0 AND x{i}.id = c.l AND x{i}.col = {i}"
        f" LEFT JOIN value y{i} ON y{i}.side = 1 AND y{i}.id = c.r AND y{i}.col = {i}"
        for i in numbered
    )
    return (
        f"SELECT c.l, c.r, {codes} AS codes, {sum_('a.l', 'b.l')} / (a.s * b.s) AS words,"
        " len(list_intersect(a.g, b.g)) / sqrt(len(a.g) * len(b.g)) AS letters,"
        f" sqrt({code} / {_SCALE}.0) / {rarest} AS code, CASE WHEN {code} > 0 THEN 0 ELSE {near} END AS near_codes,"
        f" greatest(0, least({spare[0]}, {spare[1]})) / {most} AS left_over"
        f" FROM (SELECT l, r FROM candidate WHERE rowid >= {low} AND rowid < {low + PART}) c"
        " LEFT JOIN profile a ON a.side = 0 AND a.id = c.l LEFT JOIN profile b ON b.side = 1 AND b.id = c.r"
        f"{joins}"
    )
