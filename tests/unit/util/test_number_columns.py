"""Columns are taken, written and ordered as numpy's plain indexing does it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.util.number_columns import (
    Incidence,
    contains,
    distinct,
    intersect,
    put_at,
    radix_argsort,
    sort_distinct,
    subtract,
    take_rows,
)

NUMBERS = st.lists(st.integers(0, 2**31 - 1) | st.sampled_from([0, 1, 2**16 - 1, 2**16, 2**31 - 1]), max_size=60)


@given(NUMBERS)
def test_places_come_in_the_order_of_their_values_and_equal_ones_in_their_own(numbers):
    values = np.array(numbers, np.int32)
    assert radix_argsort(values).tolist() == sorted(range(len(numbers)), key=numbers.__getitem__)


@pytest.mark.parametrize("kind", [np.int16, np.int32, np.int64])
def test_columns_are_read_and_written_at_places(kind):
    column, places = np.array([5, 6, 7, 8], np.int8), np.array([3, 0, 3], kind)
    assert take_rows(column, places).tolist() == [8, 5, 8]
    put_at(column, places, 1)
    assert column.tolist() == [1, 6, 7, 1]
    put_at(column, places[:2], np.array([9, 2], np.int8))
    assert column.tolist() == [2, 6, 7, 9]


def test_nothing_is_taken_from_nothing():
    assert take_rows(np.zeros(0, np.int32), np.zeros(0, np.int64)).tolist() == []
    assert radix_argsort(np.zeros(0, np.int32)).tolist() == []


SETS = st.lists(st.integers(0, 30)).map(lambda some: np.array(sorted(set(some)), np.int64))


@given(SETS, SETS)
def test_sets_of_numbers(one: npt.NDArray[np.int64], other: npt.NDArray[np.int64]) -> None:
    assert intersect(one, other).tolist() == sorted({*one.tolist()} & {*other.tolist()})
    assert subtract(one, other).tolist() == sorted({*one.tolist()} - {*other.tolist()})
    assert contains(one, other).tolist() == [n in one.tolist() for n in other.tolist()]


@given(st.lists(st.integers(-5, 5)))
def test_sorted_distinct_numbers(numbers: list[int]) -> None:
    assert sort_distinct(np.array(numbers, np.int64)).tolist() == sorted(set(numbers))


@pytest.mark.parametrize("size", [4, 1_000], ids=["dense", "sparse"])
def test_distinct_numbers(size: int) -> None:
    assert distinct(np.array([3, 1, 3, 0]), size).tolist() == [0, 1, 3]


@given(st.lists(SETS, max_size=5), SETS)
def test_an_index_finds_the_columns_of_numbers(
    columns: list[npt.NDArray[np.int64]], numbers: npt.NDArray[np.int64]
) -> None:
    repeated = [np.repeat(c, 2) for c in columns]
    expected = [i for i, c in enumerate(columns) if {*c.tolist()} & {*numbers.tolist()}]
    assert Incidence(repeated, 31).at(numbers).tolist() == expected
