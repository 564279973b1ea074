"""Whole days, weeks, months and years between two days."""

from __future__ import annotations

from datetime import date

import pytest

from hydra_kg.execution.value_differences import count_elapsed


@pytest.mark.parametrize("unit, amount", [("days", 1072), ("weeks", 153), ("months", 35), ("years", 2)])
def test_whole_units_are_counted(unit: str, amount: int) -> None:
    assert count_elapsed(date(1950, 2, 3), date(1953, 1, 10), unit) == amount
