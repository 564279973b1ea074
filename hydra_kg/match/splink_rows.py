"""Prepare rows for Splink: a column for each text, its rare words with weights, and candidate pairs."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING, Final

from hydra_kg.match.model import TEXTS, ComparedColumn
from hydra_kg.text.quoting import sql_text

if TYPE_CHECKING:
    import duckdb

MACROS: Final = r"""
CREATE OR REPLACE MACRO plain(v) AS
    nullif(trim(regexp_replace(lower(strip_accents(v)), '[^\pL\pN]+', ' ', 'g')), '');
CREATE OR REPLACE MACRO folded(v) AS
    CASE WHEN regexp_matches(plain(v), '\pL') THEN plain(v) ELSE replace(plain(v), ' ', '') END;
CREATE OR REPLACE MACRO tokens(v) AS list_distinct(string_split(folded(v), ' ') || list_filter(
    list_transform(list_zip(string_split(folded(v), ' '), string_split(folded(v), ' ')[2:]),
                   lambda p: concat(p[1], p[2])),
    lambda x: regexp_matches(x, '[0-9]') AND len(x) BETWEEN 4 AND 24));
CREATE OR REPLACE MACRO is_code(t) AS regexp_full_match(t, '[0-9]{5,}')
    OR len(t) >= 4 AND regexp_matches(t, '[0-9]') AND regexp_matches(t, '\pL');
CREATE OR REPLACE MACRO shape(t) AS regexp_replace(regexp_replace(t, '[0-9]', '9', 'g'), '\pL', 'a', 'g');
CREATE OR REPLACE MACRO trigrams(v) AS list_distinct(list_transform(
    range(1, len(v) + 1), lambda i: hash(substr(concat(' ', v, ' '), i, 3))));
"""
"""SQL macros for texts.

``folded``: letters and digits. Digits alone are joined, because telephone numbers are written in many ways.
``tokens``: words, and neighbouring words joined if they have digits: PS-LX350 is PSLX350.
``is_code``: whether a word has the shape of a model number or a code.
``shape``: XJ440 is aa999.
``trigrams``: hashes of three letters each.
"""

WEIGHT_BITS: Final = 65535
"""Bits of a hashed word that contain its weight."""

_SCALE: Final = 250
_CODE: Final = "replace(plain(text), ' ', '')"

_TOKENS: Final = f"""
CREATE TABLE token AS
    WITH t AS (SELECT side, id, unnest(tokens(text)) AS t, col FROM value WHERE text_like),
         df AS (SELECT col, t, count(*) FILTER (side = 0) AS n0, count(*) FILTER (side = 1) AS n1 FROM t GROUP BY ALL),
         w AS (SELECT *, ln(1 + $rows / (n0 + n1)) AS w FROM df)
    SELECT side, id, col, n0, n1, w * w AS w,
           (hash(t) & ~{WEIGHT_BITS}::UBIGINT) | least(round(w * w * {_SCALE}), {WEIGHT_BITS})::UBIGINT AS t
    FROM t JOIN w USING (col, t)
"""
_WORDS: Final = """
CREATE TABLE words AS
    SELECT side, id, col, list(t ORDER BY t) AS l, sqrt(sum(w)) AS s,
           first(t ORDER BY n0 + n1, t) FILTER (n0 + n1 BETWEEN 2 AND 200) AS rare
    FROM token GROUP BY side, id, col
"""
SPREAD: Final = 40_000
"""Largest number of pairs that one word or value may propose (its rows of one feed times those of the other)."""

RAREST: Final = 8
"""Number of words of a cell that propose pairs."""

PARTNERS: Final = 15
"""Number of rows of the other feed with which a row is compared: those that share most of its rare words."""

RARE: Final = 4
"""Largest number of rows, of both feeds, that contain a rare word."""

MANY: Final = 200_000
"""Rows from which a feed is large: a row has a third of the partners, and :data:`EACH` limits the proposals."""

EACH: Final = 25
"""Mean number of pairs that words and values may propose for each row of large feeds, the rarest words first."""

SIDE: Final = 100_000
"""Number of rows of the first feed whose pairs are searched at a time."""

_POSTING: Final = """
CREATE TABLE posting AS
    WITH fit AS (SELECT *, row_number() OVER (PARTITION BY side, id, col ORDER BY n0 + n1, t) AS k FROM token
                 WHERE {fits})
    SELECT f.side, f.id, f.col, f.t, f.w / x.s AS w, 1 / x.s AS s, dense_rank() OVER (ORDER BY f.id) AS place
    FROM fit f JOIN words x ON x.side = f.side AND x.id = f.id AND x.col = f.col WHERE k <= $rarest
"""
_PROPOSED: Final = """
INSERT INTO ranked
    WITH scored AS (SELECT a.id AS l, b.id AS r, sum(a.w * b.s) AS score FROM posting a JOIN posting b
                    ON a.col = b.col AND a.t = b.t AND {order} WHERE a.place > $low AND a.place <= $high GROUP BY ALL),
         best AS (SELECT l, r, score, row_number() OVER (PARTITION BY l ORDER BY score DESC, r) AS i,
                         row_number() OVER (PARTITION BY r ORDER BY score DESC, l) AS j FROM scored)
    SELECT l, r, score, i FROM best WHERE i <= $partners OR j <= $partners
"""
# A pair that is among the best for a row of the second feed is also among the best in its own part.
_PAIRS: Final = """
CREATE TABLE candidate AS
    SELECT l, r FROM (SELECT l, r, i, row_number() OVER (PARTITION BY r ORDER BY score DESC, l) AS j FROM ranked)
    WHERE i <= $partners OR j <= $partners ORDER BY l, r
"""


def make_records(db: duckdb.DuckDBPyConnection, columns: Sequence[ComparedColumn], *, rows: Sequence[int]) -> int:
    """Make the tables that Splink compares, and return the number of candidate pairs.

    ``record0`` (and ``record1``) are made from ``cell`` and ``entity`` for :mod:`hydra_kg.match.comparisons`.
    ``candidate`` (l, r) contains the pairs that share something rare.
    """
    parts = [
        f"SELECT side, id, {i} AS col, {str(c.kind in TEXTS).lower()} AS text_like,"
        f" string_agg({_CODE if c.kind == 'code' else 'text'}, ' ' ORDER BY text) AS text FROM cell"
        f" WHERE (side = 0 AND col = {sql_text(c.left)}) OR (side = 1 AND col = {sql_text(c.right)})"
        " GROUP BY side, id"
        for i, c in enumerate(columns)
    ]
    db.execute(f"CREATE TABLE value AS {' UNION ALL '.join(parts)}")
    db.execute(_TOKENS, {"rows": sum(rows)})
    exact = [i for i, c in enumerate(columns) if c.kind in ("number", "date") and c.distinct > 0.05 * max(rows)]
    db.execute(_WORDS)
    _add_exact(db, exact, rows=sum(rows))
    _pair_up(db, rows)
    db.execute("DROP TABLE token")
    for side in range(len(rows)):
        db.execute(_record(columns, side))
    count: int = db.execute("SELECT count(*) FROM candidate").fetchall()[0][0]
    return count


def _pair_up(db: duckdb.DuckDBPyConnection, rows: Sequence[int]) -> None:
    """Make the table ``candidate``, in parts of the first feed, to limit the memory that large feeds need."""
    alone, large = len(rows) == 1, max(rows) > MANY
    most = min(SPREAD, _spread(db, EACH * sum(rows), alone=alone)) if large else SPREAD
    fits = f"n0 BETWEEN 2 AND {int(most**0.5)}" if alone else f"n0 > 0 AND n1 > 0 AND n0 * n1 <= {most}"
    db.execute(_POSTING.format(fits=fits), {"rarest": RAREST})
    db.execute("CREATE TABLE ranked (l BIGINT, r BIGINT, score DOUBLE, i BIGINT)")
    partners = (PARTNERS // 3 if large else PARTNERS) * (4 if alone else 1)
    proposed = _PROPOSED.format(order="a.id < b.id" if alone else "a.side = 0 AND b.side = 1")
    last = db.execute("SELECT coalesce(max(place), 0) FROM posting").fetchall()[0][0]
    for low in range(0, last, SIDE):
        db.execute(proposed, {"low": low, "high": low + SIDE, "partners": partners})
    db.execute(_PAIRS, {"partners": partners})
    db.execute("DROP TABLE posting")
    db.execute("DROP TABLE ranked")


def _spread(db: duckdb.DuckDBPyConnection, most: int, *, alone: bool) -> int:
    """Return how many pairs one word or value may propose so that all together propose at most ``most``."""
    pairs = "n0 * (n0 - 1) // 2" if alone else "n0 * n1"
    found = db.execute(
        f"WITH each AS (SELECT DISTINCT col, t, n0 * {'n0' if alone else 'n1'} AS spread, {pairs} AS pairs FROM token"
        " WHERE n0 > 0), up AS (SELECT spread, sum(sum(pairs)) OVER (ORDER BY spread) AS all_ FROM each"
        " GROUP BY spread) SELECT max(spread) FROM up WHERE all_ <= ?",
        [most],
    ).fetchall()[0][0]
    return max(1, int(found or 1))


def _add_exact(db: duckdb.DuckDBPyConnection, columns: Sequence[int], *, rows: int) -> None:
    """Add numbers and dates that are rare enough, which then propose pairs as words do."""
    for i in columns:
        db.execute(
            "INSERT INTO token WITH v AS (SELECT side, id, text FROM value WHERE col = $col),"
            " df AS (SELECT text, count(*) FILTER (side = 0) AS n0, count(*) FILTER (side = 1) AS n1 FROM v GROUP BY 1)"
            " SELECT side, id, $col, n0, n1, ln(1 + $rows / (n0 + n1)) ^ 2, hash(text) FROM v JOIN df USING (text)",
            {"col": i, "rows": rows},
        )
        db.execute(
            "INSERT INTO words SELECT side, id, $col, [], ln(1 + $rows / 2), NULL FROM value WHERE col = $col",
            {"col": i, "rows": rows},
        )


def _record(columns: Sequence[ComparedColumn], side: int) -> str:
    """Return SQL for one row per record with its compared columns."""
    fields, joins = [], []
    for i, c in enumerate(columns):
        joins.append(f"LEFT JOIN value v{i} ON v{i}.side = {side} AND v{i}.id = e.id AND v{i}.col = {i}")
        if c.kind in TEXTS:
            joins.append(f"LEFT JOIN words w{i} ON w{i}.side = {side} AND w{i}.id = e.id AND w{i}.col = {i}")
            fields.append(f"folded(v{i}.text) AS c{i}, w{i}.l AS l{i}, w{i}.s AS s{i}, w{i}.rare AS e{i}")
        elif c.kind == "number":
            fields.append(f"try_cast(replace(string_split(v{i}.text, ' ')[1], ',', '') AS DOUBLE) AS c{i}")
        else:
            fields.append(f"left(replace(v{i}.text, '-', ''), 8) AS c{i}, left(replace(v{i}.text, '-', ''), 8) AS e{i}")
    return (
        f"CREATE TABLE record{side} AS SELECT e.id AS unique_id, {', '.join(fields)} FROM"
        f" (SELECT id FROM entity WHERE side = {side}) e {' '.join(joins)}"
    )


def common_weight(i: int) -> str:
    """Return SQL for the cosine of the weighted words that two rows share in text column ``i``."""
    shared = f"list_sum({shared_weights_sql(f'l{i}_l', f'l{i}_r')})"
    return f"(coalesce({shared}, 0) / {_SCALE}.0 / (s{i}_l * s{i}_r))"


def shares_rare_word(i: int, *, rows: int) -> str:
    """Return SQL for whether two rows share a rare word of text column ``i``, such as a model number."""
    shared = f"list_max({shared_weights_sql(f'l{i}_l', f'l{i}_r')})"
    return f"(coalesce({shared}, 0) >= {int(_SCALE * log(1 + rows / RARE) ** 2)})"


def shared_weights_sql(left: str, right: str) -> str:
    """Return SQL for the list of weights of the hashed words that two lists share."""
    return f"list_transform(list_intersect({left}, {right}), lambda x: x & {WEIGHT_BITS})"
