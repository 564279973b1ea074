"""Replace rows of a table by those of later loads with the same key."""

from __future__ import annotations

import itertools

from hydra_kg.ingest.appending import BATCHES
from hydra_kg.ingest.contract.work import Work


def superseded(work: Work, table: str, key: str) -> int:
    """Make ``superseded`` (row) of the rows whose ``key`` (SQL) recurs in a later load. Return their number."""
    numbers = work.options.extra[BATCHES].split(",")
    ends = itertools.accumulate(work.lines)
    batch = " ".join(f"WHEN row <= {end} THEN {int(n)}" for end, n in zip(ends, numbers, strict=False))
    work.db.execute(
        f"CREATE TABLE superseded AS SELECT row FROM (SELECT row, b, max(b) OVER (PARTITION BY k) AS last FROM"
        f" (SELECT row, CASE {batch} END AS b, [{key}] AS k FROM {table}) WHERE list_count(k) = len(k)) WHERE b < last"
    )
    count: int = work.one("SELECT count(*) FROM superseded")
    return count
