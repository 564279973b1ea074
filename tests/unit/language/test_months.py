"""Names of months, whole and short."""

from __future__ import annotations

import pytest

from hydra_kg.language.months import MONTHS, month_number


@pytest.mark.parametrize(
    "word, number",
    [("January", 1), ("jan", 1), ("MAY", 5), ("Sept", 9), ("sep", 9), ("December", 12), ("", 0), ("Maybe", 0)],
)
def test_a_month_by_its_name(word: str, number: int) -> None:
    assert month_number(word) == number


def test_there_are_twelve() -> None:
    assert len(MONTHS) == 12
    assert [month_number(name) for name in MONTHS] == list(range(1, 13))
