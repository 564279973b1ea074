"""Rows that add up others: found by their label and their numbers, and only then."""

from __future__ import annotations

import pytest

from hydra_kg.quiet_dependencies import connect_duckdb
from hydra_kg_loaders.tables.totals import find_totals


@pytest.mark.parametrize(
    "rows, totals",
    [
        ([("oak", None, "3"), ("ash", "tall", "4"), ("TOTAL", None, "7")], [3]),
        ([("oak", None, "3"), ("ash", None, "4"), ("Summe:", None, "7")], [3]),
        ([("oak", "tall", "3"), ("Subtotal", None, "3"), ("ash", "low", "4"), ("Total", None, "7")], [2, 4]),
        ([("oak", "a", "1,200"), ("ash", "b", "300"), ("North wood total", None, "1,500"), ("elm", "c", "1")], [3]),
        ([("oak", "a", "1,5"), ("ash", "b", "2,5"), ("Total 2023", None, "4,0"), ("elm", "c", "1,0")], [3]),
        ([("oak", None, "3"), ("ash", None, "4"), ("Average", None, "3.5"), ("elm", None, "9")], [3]),
        ([("oak", None, "3"), ("Total", "Paris", "7"), ("ash", None, "4")], []),
        ([("oak", None, "3"), ("Total", None, "900"), ("ash", None, "4")], []),
        ([("Total Recall", None, "3"), ("ash", None, "4")], []),
    ],
)
def test_a_total_is_found_by_label_and_sum(rows, totals):
    with connect_duckdb(threads=1) as db:
        db.execute("CREATE TABLE t0 (row UBIGINT, c0 VARCHAR, c1 VARCHAR, c2 VARCHAR)")
        db.executemany("INSERT INTO t0 VALUES (?, ?, ?, ?)", [(n, *row) for n, row in enumerate(rows, 1)])
        assert [row for row, _ in find_totals(db, "t0", 3)] == totals
