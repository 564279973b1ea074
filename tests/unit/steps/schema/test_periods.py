"""Days, months, parts of years and years are found in the words of a question."""

from __future__ import annotations

import pytest

from hydra_kg.steps.own_graphs.own_graph import number
from hydra_kg.steps.schema.periods import periods


@pytest.mark.parametrize(
    "words, first, last",
    [
        ("in 2023", "2023-01-01", "2023-12-31"),
        ("in march 2024", "2024-03-01", "2024-03-31"),
        ("between march and may 2024", "2024-03-01", "2024-05-31"),
        ("the first half of 2023", "2023-01-01", "2023-06-30"),
        ("the last quarter of 2023", "2023-10-01", "2023-12-31"),
        ("q2 2021", "2021-04-01", "2021-06-30"),
        ("12 march 2024", "2024-03-12", "2024-03-12"),
        ("mar 3rd 2020", "2020-03-03", "2020-03-03"),
        ("february 2024", "2024-02-01", "2024-02-29"),
        ("2024-05", "2024-05-01", "2024-05-31"),
    ],
)
def test_a_period_is_from_its_first_day_to_its_last(words: str, first: str, last: str) -> None:
    longest = max(periods(words.split()), key=lambda p: p.end - p.start)
    assert (longest.low, longest.high) == (number(first), number(last))


@pytest.mark.parametrize("words", ["room 2023", "the first half of the year", "2024-15", "may 12"])
def test_what_is_no_period_is_none(words: str) -> None:
    assert not list(periods(words.split()))
