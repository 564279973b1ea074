"""Dates and periods are found in the words of questions and texts."""

from __future__ import annotations

import pytest

from hydra_kg.execution.own_graph import number
from hydra_kg.language.dates import MONTHS, find_periods, month_number, read_date


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
        ("the 1990s", "1990-01-01", "1999-12-31"),
        ("the 19th century", "1801-01-01", "1900-12-31"),
        ("july 4th , 1946", "1946-07-04", "1946-07-04"),
    ],
)
def test_a_period_is_from_its_first_day_to_its_last(words: str, first: str, last: str) -> None:
    longest = max(find_periods(words.split()), key=lambda p: p.end - p.start)
    assert (longest.low, longest.high) == (number(first), number(last))


@pytest.mark.parametrize("words", ["room 2023", "the first half of the year", "2024-15", "may 12"])
def test_what_is_no_period_is_none(words: str) -> None:
    assert not list(find_periods(words.split()))


@pytest.mark.parametrize(
    "words, day",
    [
        ("4 july 1946", (1946, 7, 4)),
        ("4th of july , 1946", (1946, 7, 4)),
        ("july 4 , 1946", (1946, 7, 4)),
        ("sept . 1990", (1990, 9, 0)),
        ("june of 1990", (1990, 6, 0)),
        ("1986", (1986, 0, 0)),
    ],
)
def test_a_date_has_what_is_given(words: str, day: tuple[int, int, int]) -> None:
    assert read_date(words.split()) == (day, len(words.split()))


def test_a_day_without_a_year_is_a_date_where_that_is_enough() -> None:
    assert read_date(["may", "5"]) is None
    assert read_date(["may", "5"], yearless=True) == ((0, 5, 5), 2)


@pytest.mark.parametrize(
    "word, number",
    [("January", 1), ("jan", 1), ("MAY", 5), ("Sept", 9), ("sep", 9), ("December", 12), ("", 0), ("Maybe", 0)],
)
def test_a_month_by_its_name(word: str, number: int) -> None:
    assert month_number(word) == number


def test_there_are_twelve() -> None:
    assert len(MONTHS) == 12
    assert [month_number(name) for name in MONTHS] == list(range(1, 13))
