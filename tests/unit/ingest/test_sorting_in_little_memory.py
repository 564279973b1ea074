"""Sorting within a memory that groups and joins of the same rows do not fit into: the tables are the same as ever."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from hydra_kg.events import ignore
from hydra_kg.ingest.contract.choices import Options
from hydra_kg.ingest.contract.loader import Loader, Streams, loaders
from hydra_kg.ingest.contract.work import Work
from hydra_kg.ingest.staging.sorting import sort_streams
from hydra_kg.ingest.staging.stage import DuckStage

LOADER: Loader = loaders()["wikidata_json"]
RAW = """
CREATE TABLE raw AS SELECT (hash(i // 3) % ({rows} // 8))::BIGINT * 8 + 8 AS node,
    ['alias', 'name', 'title'][1 + i % 3] AS kind,
    repeat(md5((hash(i) % ({rows} // 4))::VARCHAR), 2) AS text, (i + 1)::UBIGINT AS line FROM range({rows}) each (i)
"""
NAMES = "SELECT node, kind, text, line FROM raw"
GROUPED = (
    f"SELECT node, kind, text, min(line) AS line, count(*) AS times FROM ({NAMES}) GROUP BY ALL"
    " ORDER BY node, kind, text"
)
VALUES = Streams(
    values="SELECT node AS s, 16::BIGINT AS p, text AS key, line, kind AS rank FROM raw",
    names=NAMES,
    terms="SELECT node + 7 AS id, 'term ' || node AS text FROM raw",
)
TABLES = ("value", "name", "term", "node", "literal")


class Short:
    """A connection that has too little memory for what groups or joins while it sorts."""

    def __init__(self, db: Any) -> None:
        self._db = db
        self.refused: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)

    def cursor(self) -> Short:
        other = Short(self._db.cursor())
        other.refused = self.refused
        return other

    def execute(self, sql: str, *more: Any) -> Any:
        if re.search("SELECT DISTINCT|JOIN literal .* ORDER BY|LEFT JOIN .* ORDER BY", sql):
            self.refused.append(sql)
            raise duckdb.OutOfMemoryException("Out of Memory Error: could not allocate block")
        return self._db.execute(sql, *more)


def begun(folder: Path, *, rows: int, memory: str = "1GB") -> Work:
    """The work of a load that has read so many rows."""
    folder.mkdir()
    (folder / "file.json").write_text("[\n]\n")
    work = Work(folder / "stage", LOADER, [folder / "file.json"], options=Options(memory=memory), listener=ignore)
    with work:
        work.step("read", lambda: work.db.execute(RAW.format(rows=rows)).fetchall())
    return work


def equal(some: Iterator[Any], others: Iterator[Any]) -> None:
    """The columns are alike, and there is something in them."""
    for one, other in zip(some, others, strict=True):
        assert len(one)
        assert one.dtype == other.dtype or "O" in (one.dtype, other.dtype)
        assert (one == other).all()


def columns(work: Work, sql: str) -> Iterator[Any]:
    return iter(work.db.execute(sql).fetchnumpy().values())


def test_what_cannot_be_grouped_is_sorted(tmp_path: Path) -> None:
    with begun(tmp_path / "load", rows=600_000, memory="42MB") as work:
        with pytest.raises(duckdb.OutOfMemoryException):
            work.db.execute(f"CREATE TABLE grouped AS {GROUPED}")
        counts = sort_streams(work, Streams(names=NAMES))["names"]
        work.db.execute("SET memory_limit = '1GB'")
        assert counts["rows"] == 600_000 > counts["kept"]
        row = "row_number() OVER () AS n, node, kind, text, line, times"
        made, grouped = (
            work.db.execute(f"SELECT count(*), sum(hash(COLUMNS(*))) FROM (SELECT {row} FROM ({sql}))").fetchall()
            for sql in ("FROM name", GROUPED)
        )
        assert made == grouped


@pytest.fixture
def works(tmp_path: Path) -> Iterator[tuple[Work, Work]]:
    """A load of all streams, with memory enough and with too little."""
    enough, little = (begun(tmp_path / name, rows=3000) for name in ("enough", "little"))
    with enough, little:
        little.db = Short(little.db)  # type: ignore[assignment]
        for work in (enough, little):
            sort_streams(work, VALUES)
        yield enough, little


def test_what_runs_out_of_memory_is_made_in_another_way(works: tuple[Work, Work]) -> None:
    enough, little = works
    assert len(little.db.refused) == 4  # type: ignore[attr-defined]
    for table in TABLES:
        equal(*(columns(work, f"FROM {table} ORDER BY ALL") for work in works))
    equal(*(columns(work, "FROM value") for work in works))
    equal(columns(enough, "FROM name"), columns(enough, GROUPED))


def test_names_are_ranked_the_same(works: tuple[Work, Work]) -> None:
    enough, _ = works
    nodes = next(columns(enough, "FROM node"))
    facts = next(columns(enough, "SELECT count(*) FROM value GROUP BY s ORDER BY s"))
    ranked = list(
        columns(
            enough,
            "SELECT node, kind, text FROM name JOIN (SELECT s, count(*) AS facts FROM value GROUP BY s) ON s = node"
            " ORDER BY facts DESC, node, list_position(['name', 'alias', 'title'], kind), text",
        )
    )
    for work in works:
        stage = DuckStage(work.db, {}, ())
        found = zip(*stage.ranked_names(nodes, lambda: facts), strict=True)
        equal(map(np.concatenate, found), [np.array(c, c.dtype) for c in ranked])
