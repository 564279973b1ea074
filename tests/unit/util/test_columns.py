"""Columns are taken, written and ordered as numpy's plain indexing does it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.util.columns import in_order, put, take_rows

NUMBERS = st.lists(st.integers(0, 2**31 - 1) | st.sampled_from([0, 1, 2**16 - 1, 2**16, 2**31 - 1]), max_size=60)


@given(NUMBERS)
def test_places_come_in_the_order_of_their_values_and_equal_ones_in_their_own(numbers):
    values = np.array(numbers, np.int32)
    assert in_order(values).tolist() == sorted(range(len(numbers)), key=numbers.__getitem__)


@pytest.mark.parametrize("kind", [np.int16, np.int32, np.int64])
def test_columns_are_read_and_written_at_places(kind):
    column, places = np.array([5, 6, 7, 8], np.int8), np.array([3, 0, 3], kind)
    assert take_rows(column, places).tolist() == [8, 5, 8]
    put(column, places, 1)
    assert column.tolist() == [1, 6, 7, 1]
    put(column, places[:2], np.array([9, 2], np.int8))
    assert column.tolist() == [2, 6, 7, 9]


def test_nothing_is_taken_from_nothing():
    assert take_rows(np.zeros(0, np.int32), np.zeros(0, np.int64)).tolist() == []
    assert in_order(np.zeros(0, np.int32)).tolist() == []
