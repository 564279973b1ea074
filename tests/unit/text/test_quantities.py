"""Numbers in texts: amounts with a currency or unit, clock times, ranges of years."""

from __future__ import annotations

import math

import pytest

from hydra_kg.text.quantities import read_amount, read_time


@pytest.mark.parametrize(
    "text, value",
    [
        ("12 km", 12.0),
        ("12.5 m", 12.5),
        ("$1,250.50", 1250.5),
        ("18500.00 €", 18500.0),
        ("EUR 40", 40.0),
        ("(5 %)", -5.0),
        ("−3 °C", -3.0),
        ("24 hours", 24.0),
        ("1,000", 1000.0),
    ],
)
def test_an_amount(text: str, value: float) -> None:
    assert read_amount(text) == value


@pytest.mark.parametrize("text", ["12 Monkeys", "7 May", "(5", "5)", "1,2", "A 12", "", "24-7", "Main Street 5"])
def test_other_texts_are_no_amount(text: str) -> None:
    assert math.isnan(read_amount(text))


@pytest.mark.parametrize(
    "text, value",
    [
        ("1:23:45", 5025.0),
        ("14:30", 52200.0),
        ("2:30 pm", 52200.0),
        ("12:05 am", 300.0),
        ("1988–2001", 1988.0),
        ("1999-present", 1999.0),
        ("2019/20", 2019.0),
        ("FY2019", 2019.0),
        ("FY 19", 2019.0),
        ("fiscal year 2021", 2021.0),
    ],
)
def test_a_time_is_ordered_by_its_beginning(text: str, value: float) -> None:
    assert read_time(text) == value


@pytest.mark.parametrize("text", ["14:75", "3–1", "FYI", "12:3", "1988 film", ""])
def test_other_texts_are_no_time(text: str) -> None:
    assert math.isnan(read_time(text))
