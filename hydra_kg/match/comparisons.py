"""Tell Splink how to compare each kind of column, in levels from equal to different, and how rare each value is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hydra_kg.match.model import ComparedColumn
from hydra_kg.match.splink_rows import common_weight, shares_rare_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb

_TABLE: Final = """
CREATE OR REPLACE TABLE frequency{i} AS
    WITH v AS ({rows}),
         n AS (SELECT side, v, count(*) AS n FROM v WHERE v IS NOT NULL GROUP BY ALL),
         total AS (SELECT side, sum(n) AS total, count(*) FILTER (n = 1) AS once, count(*) FILTER (n = 2) AS twice
                   FROM n GROUP BY side),
         share AS (SELECT v, CASE WHEN n = 1 THEN least(1, 2 * (twice + 0.5) / (once + 1)) ELSE n END / total AS share
                   FROM n JOIN total USING (side))
    SELECT v AS c{i}, max(share) AS tf_c{i} FROM share GROUP BY v
"""
_SHARES: Final = (0.8, 0.6, 0.4, 0.25, 0.1)


def comparisons(columns: Sequence[ComparedColumn], *, rows: int) -> list[Any]:
    """Return a Splink comparison for each column.

    rows: number of rows of all feeds together.
    """
    return [_comparison(i, c, rows) for i, c in enumerate(columns)]


def _comparison(i: int, column: ComparedColumn, rows: int) -> Any:
    import splink.comparison_level_library as levels
    from splink.comparison_library import CustomComparison

    name = f"c{i}"
    same = levels.ExactMatchLevel(name, term_frequency_adjustments=True)
    between = [levels.CustomLevel(sql, label) for label, sql in _levels(i, column, rows)]
    return CustomComparison([levels.NullLevel(name), same, *between, levels.ElseLevel()], output_column_name=name)


def _levels(i: int, column: ComparedColumn, rows: int) -> list[tuple[str, str]]:
    """Return the levels of agreement of a column as (SQL condition, name)."""
    left, right = f"c{i}_l", f"c{i}_r"
    if column.kind == "code":
        return []
    if column.kind == "number":
        apart = f"(abs({left} - {right}) / nullif(greatest(abs({left}), abs({right})), 0))"
        return [(f"within {share:.0%}", f"{apart} < {share}") for share in (0.02, 0.15, 0.4)]
    if column.kind == "date":
        return [
            ("one digit differs", f"damerau_levenshtein({left}, {right}) <= 1"),
            ("same year", f"left({left}, 4) = left({right}, 4)"),
        ]
    words = {share: (f"words {share:.0%} alike", f"{common_weight(i)} >= {share}") for share in _SHARES}
    if column.kind == "long text":
        rare = shares_rare_word(i, rows=rows)
        both = ("a rare word and 40% alike", f"{rare} AND {common_weight(i)} >= 0.4")
        return [words[0.8], both, words[0.6], ("a rare word", rare), words[0.4], words[0.25], words[0.1]]
    spelling = [(f"spelt {s:.0%} alike", f"jaro_winkler_similarity({left}, {right}) >= {s}") for s in (0.95, 0.9)]
    return [spelling[0], words[0.8], spelling[1], words[0.6], words[0.4], words[0.1]]


def frequencies(db: duckdb.DuckDBPyConnection, i: int, *, sides: int) -> str:
    """Make a table of the share of each value of column ``i``, and return the table's name.

    The share is that of the feed in which the value is more frequent. For values that occur once, it is corrected by
    the number of values that occur twice (Good, Biometrika 40, 1953, Eq. 2).
    """
    rows = " UNION ALL ".join(f"SELECT {side} AS side, c{i} AS v FROM record{side}" for side in range(sides))
    db.execute(_TABLE.format(i=i, rows=rows))
    return f"frequency{i}"
