"""How rare a value is: what an exact agreement is worth (Good–Turing)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
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


def frequencies(db: duckdb.DuckDBPyConnection, i: int, *, sides: int) -> str:
    """Return a table of value shares of column ``i``, in the feed where each is more frequent; singletons are corrected
    by pairs (Good, Biometrika 40, 1953, Eq. 2)."""
    rows = " UNION ALL ".join(f"SELECT {side} AS side, c{i} AS v FROM record{side}" for side in range(sides))
    db.execute(_TABLE.format(i=i, rows=rows))
    return f"frequency{i}"
