"""Facts of tables whose rows have an entity each: stored as sorted rows, and read as one fact for each cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from hydra_kg.text.quoting import sql_text

if TYPE_CHECKING:
    import duckdb

BATCH: Final = 1 << 20
"""Number of facts that are read at once."""

_COLUMNS: Final = "SELECT p, locator FROM wide_column ORDER BY rowid"


class WideFacts(NamedTuple):
    """Some facts in order: subjects, predicates, objects, lines, and the number of each fact's column."""

    s: npt.NDArray[np.int64]
    p: npt.NDArray[np.int64]
    o: npt.NDArray[np.int64]
    line: npt.NDArray[Any]
    column: npt.NDArray[np.uint8]

    def among(self, at: npt.NDArray[np.bool_]) -> WideFacts:
        """Return the facts for which ``at`` is true."""
        return WideFacts(self.s[at], self.p[at], self.o[at], self.line[at], self.column[at])


def make_wide(db: duckdb.DuckDBPyConnection, sql: str, columns: Sequence[tuple[int, str]], *, line: str) -> None:
    """Make the tables ``wide`` (s, line, o0, o1 …) and ``wide_column`` (p, locator), and the view ``value`` of facts.

    ``sql`` gives a row for each subject, with the object of each column or NULL. ``columns`` are ordered by predicate.
    """
    objects = [f"o{n}" for n in range(len(columns))]
    some = " OR ".join(f"{o} IS NOT NULL" for o in objects)
    db.execute(f"CREATE TABLE wide AS SELECT s, line::{line} AS line, {', '.join(objects)} FROM ({sql}) WHERE {some}")
    db.execute("CREATE TABLE wide_column (p BIGINT, locator VARCHAR)")
    db.executemany("INSERT INTO wide_column VALUES (?, ?)", columns)
    predicates = ", ".join(str(p) for p, _ in columns)
    places = ", ".join(sql_text(place) for _, place in columns)
    db.execute(
        "CREATE VIEW value AS SELECT s, p, o, line, 0::USMALLINT AS source, '' AS rank, 1::DOUBLE AS confidence,"
        " '[]' AS qualifiers, locator, true AS detail, 1 AS times FROM (SELECT s, line,"
        f" unnest([{predicates}]::BIGINT[]) AS p, unnest([{', '.join(objects)}]) AS o, unnest([{places}]) AS locator"
        " FROM wide) WHERE o IS NOT NULL"
    )


def count_wide(db: duckdb.DuckDBPyConnection) -> list[tuple[str, int]]:
    """Return the place of each column with the number of its facts. It is empty if there is no table ``wide``."""
    if not db.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'wide'").fetchall():
        return []
    places = [place for _, place in db.execute(_COLUMNS).fetchall()]
    counts = ", ".join(f"count(o{n})" for n in range(len(places)))
    return list(zip(places, db.execute(f"SELECT {counts} FROM wide").fetchall()[0], strict=True))


def read_wide(db: duckdb.DuckDBPyConnection) -> Iterator[WideFacts]:
    """Yield the facts in the order of subjects and predicates."""
    predicates = np.array([p for p, _ in db.execute(_COLUMNS).fetchall()], np.int64)
    width = len(predicates)
    size = max(BATCH // width, 1)
    (rows,) = db.execute("SELECT count(*) FROM wide").fetchall()[0]
    for start in range(0, rows, size):
        window = f"rowid >= {start} AND rowid < {start + size}"
        batch = db.execute(f"SELECT * FROM wide WHERE {window} ORDER BY rowid").fetchnumpy()
        s, line, *objects = batch.values()
        o = np.empty((len(s), width), np.int64)
        known = np.ones((len(s), width), np.bool_)
        for n, column in enumerate(objects):
            o[:, n] = np.ma.getdata(column)
            known[:, n] = ~np.ma.getmaskarray(column)
        at = known.ravel()
        found = WideFacts(
            np.repeat(np.ma.getdata(s), width),
            np.tile(predicates, len(s)),
            o.ravel(),
            np.repeat(np.ma.getdata(line), width),
            np.tile(np.arange(width, dtype=np.uint8), len(s)),
        )
        yield found if at.all() else found.among(at)
