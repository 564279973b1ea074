"""Each operator over the rows of a sheet, on a small table of ferries."""

from __future__ import annotations

import math

import pytest

from hydra_kg.steps.sheets import row_operators
from hydra_kg.steps.sheets.sheet import Sheet, date_of, make_column, number_of, rows_of

NAMES = ("Ada", "Bosun", "Cato", "Dora", "Elka")
PORTS = ("Visby", "Oslo", "Visby", "Turku", "Visby")
SEATS = ("1,200", "300", "300", "", "90 seats")
SHEET = Sheet(
    (
        make_column("name", ("name",), NAMES, is_name=True),
        make_column("Port", ("port",), PORTS),
        make_column("Seats", ("seat",), SEATS),
    ),
    5,
)
NAME, PORT, SEAT = range(3)


def names(mask: int) -> list[str]:
    return [NAMES[row] for row in rows_of(mask)]


def rows(*some: str) -> int:
    return sum(1 << NAMES.index(name) for name in some)


def test_first_last_and_nth_follow_the_file() -> None:
    some = rows("Dora", "Bosun", "Elka")
    assert names(row_operators.first(some)) == ["Bosun"]
    assert names(row_operators.last(some)) == ["Elka"]
    assert names(row_operators.nth(some, 2)) == ["Dora"]
    assert row_operators.nth(some, 4) == 0


def test_the_rows_next_to_a_row() -> None:
    assert names(row_operators.after(SHEET, rows("Cato"))) == ["Dora"]
    assert names(row_operators.before(rows("Cato"))) == ["Bosun"]
    assert row_operators.after(SHEET, rows("Elka")) == 0
    assert row_operators.before(rows("Ada")) == 0


def test_extremes_leave_out_rows_without_a_number() -> None:
    assert names(row_operators.extreme(SHEET, SHEET.everything, SEAT, greatest=True)) == ["Ada"]
    assert names(row_operators.extreme(SHEET, SHEET.everything, SEAT, greatest=False)) == ["Elka"]
    assert names(row_operators.nth_extreme(SHEET, SHEET.everything, SEAT, 2, greatest=True)) == ["Bosun", "Cato"]
    assert row_operators.nth_extreme(SHEET, SHEET.everything, SEAT, 4, greatest=True) == 0


def test_other_rows_with_the_same_value() -> None:
    assert names(row_operators.same_value(SHEET, rows("Ada"), PORT)) == ["Cato", "Elka"]
    assert row_operators.same_value(SHEET, rows("Dora"), SEAT) == 0


def test_numbers_of_some_rows() -> None:
    some = rows("Ada", "Bosun", "Dora")
    assert row_operators.computed(SHEET, some, SEAT, "sum") == 1500
    assert row_operators.computed(SHEET, some, SEAT, "avg") == 750
    assert row_operators.computed(SHEET, some, SEAT, "range") == 900
    assert row_operators.computed(SHEET, rows("Dora"), SEAT, "sum") is None
    assert row_operators.distinct(SHEET, SHEET.everything, PORT) == 3


def test_the_difference_of_two_rows() -> None:
    assert row_operators.difference(SHEET, rows("Elka"), rows("Bosun"), SEAT) == 210
    assert row_operators.difference(SHEET, rows("Elka"), rows("Dora"), SEAT) is None


def test_the_commonest_value_and_the_greatest_sum() -> None:
    values, count, mask = row_operators.commonest(SHEET, SHEET.everything, PORT, greatest=True)
    assert (values, count, names(mask)) == (("Visby",), 3, ["Ada", "Cato", "Elka"])
    assert row_operators.commonest(SHEET, rows("Ada", "Bosun"), PORT, greatest=True) == ((), 0, 0)
    assert row_operators.greatest_sum(SHEET, SHEET.everything, PORT, SEAT)[0] == ("Visby",)


def test_the_longest_run_of_rows() -> None:
    assert row_operators.longest_run(rows("Ada", "Cato", "Dora", "Elka")) == 3
    assert row_operators.longest_run(0) == 0


@pytest.mark.parametrize(
    "cell, value", [("1,200", 1200), ("$3.50", 3.5), ("25 lost", 25), ("1:55.5", 115.5), ("1:02:03", 3723), ("-4", -4)]
)
def test_the_number_with_which_a_cell_begins(cell: str, value: float) -> None:
    assert number_of(cell) == value


@pytest.mark.parametrize(
    "cell, year, month", [("October 3, 1931", 1931, 10), ("3 Oct 1931", 1931, 10), ("1931-10-03", 1931, 10)]
)
def test_the_day_that_a_cell_names(cell: str, year: int, month: int) -> None:
    assert date_of(cell) == pytest.approx(year + (month - 1) / 12 + 2 / 372)


def test_text_is_neither_number_nor_day() -> None:
    assert math.isnan(number_of("n/a"))
    assert math.isnan(date_of("Marchetti 5"))
