"""Columns of codes: what counts rows is told apart from what numbers things."""

from __future__ import annotations

import duckdb
import pytest

from hydra_kg.match.compared_columns import counts_up, share_codes
from hydra_kg.match.splink_rows import MACROS


@pytest.mark.parametrize(
    "codes, counter",
    [
        (["P001", "P002", "P003", "P005"], True),
        ([str(n) for n in range(40)], True),
        (["RSA1603", "RSA1605", "CRN-L", "CRN-LR"], False),
        (["KX-2210", "KX-4410", "KX-9915", "KX-1203"], False),
        (["alpha", "beta"], False),
        ([], False),
    ],
)
def test_a_counter_has_one_prefix_and_no_gaps(codes, counter):
    assert counts_up(codes) is counter


def cells(rows):
    """A database of cells, rows of (side, id, column, text)."""
    db = duckdb.connect()
    db.execute(MACROS)
    db.execute("CREATE TABLE cell (side TINYINT, id BIGINT, col VARCHAR, text VARCHAR)")
    db.executemany("INSERT INTO cell VALUES (?, ?, ?, ?)", rows)
    return db


WORDS = ["copper kettle", "oak bench", "wool rug", "brass lamp", "clay pot", "tin whistle"]


@pytest.mark.parametrize("shift, shared", [(0, True), (3, False)], ids=["same things", "other things"])
def test_counters_are_codes_only_where_equal_ones_go_with_like_words(shift, shared):
    own = [(0, i, "no", f"T{i:03}") for i in range(6)] + [(0, i, "text", WORDS[i]) for i in range(6)]
    other = [(1, i + 50, "nr", f"T{i:03}") for i in range(6)]
    other += [(1, i + 50, "what", f"{WORDS[(i + shift) % 6]} old") for i in range(6)]
    assert share_codes(cells([*own, *other]), "no", "nr") is shared


def test_two_feeds_that_number_in_ways_of_their_own_share_no_codes():
    own = [(0, i, "sku", f"A-{i * 77 + 1000}") for i in range(20)]
    other = [(1, i + 50, "sku", f"{i * 91 + 3000}/K") for i in range(20)]
    assert not share_codes(cells([*own, *other]), "sku", "sku")
