"""Cells of staged tables are rewritten by column, and what was done is reported."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import pytest

from hydra_kg_loaders.values.column_rewriting import rewrite_columns


def rewrite(*columns: Sequence[str | None], names: Sequence[str] = ()) -> tuple[list[list[str | None]], list[str]]:
    """Stage columns as the loaders do, rewrite them, and return them with the lines of the report."""
    with duckdb.connect() as db:
        db.execute(f"CREATE TABLE t (row UBIGINT, {', '.join(f'c{n} VARCHAR' for n in range(len(columns)))})")
        rows = [(number, *cells) for number, cells in enumerate(zip(*columns, strict=True), 2)]
        db.executemany(f"INSERT INTO t VALUES (?{', ?' * len(columns)})", rows)
        lines = rewrite_columns(db, "t", names or [f"col{n}" for n in range(len(columns))])
        found = db.execute(f"SELECT {', '.join(f'c{n}' for n in range(len(columns)))} FROM t ORDER BY row").fetchall()
    return [list(column) for column in zip(*found, strict=True)], lines


@pytest.mark.parametrize("token", ["n/a", "N/A", "-", "?", "null", "unknown", "None", "TBD", "–"])
def test_a_missing_value_in_a_column_of_numbers_is_emptied_and_named(token: str) -> None:
    (column,), lines = rewrite(["10", token, "12", "9"], names=["Fee"])
    assert column == ["10", None, "12", "9"]
    assert lines == [f"Fee: 1 missing value (“{token}” 1)"]


def test_missing_values_are_counted_and_the_most_frequent_named_first() -> None:
    (column,), lines = rewrite(["2021-05-01", "?", "tbd", "?", "2021-06-02"], names=["Due"])
    assert column == ["2021-05-01", None, None, None, "2021-06-02"]
    assert lines == ["Due: 3 missing values (“?” 2, “tbd” 1)"]


def test_a_column_of_text_keeps_what_would_be_missing_elsewhere() -> None:
    (column,), lines = rewrite(["Unknown", "Nil", "Marta", "None"])
    assert column == ["Unknown", "Nil", "Marta", "None"]
    assert lines == []


@pytest.mark.parametrize(
    "cells, expected",
    [
        (["1.234,5", "987,25", "12"], ["1234.5", "987.25", "12"]),
        (["1 234,5", "0,75", "3"], ["1234.5", "0.75", "3"]),
        (["1,234.5", "1,000", "3"], ["1,234.5", "1,000", "3"]),
        (["1'250", "2'000.5", "7"], ["1250", "2000.5", "7"]),
        (["1\u202f250", "90", "2\u202f000"], ["1250", "90", "2000"]),
        (["(1.200,5)", "300", "+5"], ["-1200.5", "300", "5"]),
        (["−4", "3", "1.100,0"], ["-4", "3", "1100.0"]),
        (["18.500,00 €", "9,50 €", "7 €"], ["18500.00 €", "9.50 €", "7 €"]),
        (["$1,250.50", "$80.00", "$7"], ["$1,250.50", "$80.00", "$7"]),
        (["12,5 km", "8 km", "1.200 km"], ["12.5 km", "8 km", "1200 km"]),
        (["19,5 %", "7 %", "0 %"], ["19.5 %", "7 %", "0 %"]),
        (["12.5", "3", "0.25"], ["12.5", "3", "0.25"]),
    ],
)
def test_numbers_are_written_as_programs_do(cells: list[str], expected: list[str]) -> None:
    (column,), _ = rewrite(cells)
    assert column == expected


def test_decimal_commas_of_another_column_decide_what_a_point_is() -> None:
    (one, other), lines = rewrite(["1.200", "18.500", "9.000"], ["1,5", "2,25", "7,0"], names=["Sold", "Rate"])
    assert one == ["1200", "18500", "9000"]
    assert other == ["1.5", "2.25", "7.0"]
    assert lines == ["Sold: “1.200” becomes 1200", "Rate: “1,5” becomes 1.5"]


def test_a_point_without_such_a_column_is_a_decimal_point() -> None:
    (column,), lines = rewrite(["1.200", "18.500", "9.000"])
    assert column == ["1.200", "18.500", "9.000"]
    assert lines == []


@pytest.mark.parametrize(
    "cells, expected",
    [
        (["31.12.1998", "05.03.2004", "1.2.2011"], ["1998-12-31", "2004-03-05", "2011-02-01"]),
        (["12/31/1998", "03/05/2004", "02/01/2011"], ["1998-12-31", "2004-03-05", "2011-02-01"]),
        (["31/12/98", "05/03/04", "01/02/11"], ["1998-12-31", "2004-03-05", "2011-02-01"]),
        (["5. März 2021", "12 Dezember 2020", "1. Mai 2019"], ["2021-03-05", "2020-12-12", "2019-05-01"]),
        (["5 mars 2021", "12 août 2020", "1er mai 2019"], ["2021-03-05", "2020-08-12", "2019-05-01"]),
        (["March 5, 2021", "Aug 12 2020", "May 1st, 2019"], ["2021-03-05", "2020-08-12", "2019-05-01"]),
        (["2021/03/05", "2020/8/12", "2019/05/01"], ["2021-03-05", "2020-08-12", "2019-05-01"]),
        (
            ["31/12/1998 14:05", "05/03/2004 09:30", "13/2/2011 00:00"],
            ["1998-12-31T14:05:00", "2004-03-05T09:30:00", "2011-02-13T00:00:00"],
        ),
    ],
)
def test_dates_are_written_as_iso_has_them(cells: list[str], expected: list[str]) -> None:
    (column,), _ = rewrite(cells)
    assert column == expected


def test_the_order_of_most_dates_decides_and_the_others_are_named() -> None:
    cells = ["13/01/2020", "25/02/2020", "30/03/2020", "28/04/2020", "12/31/2020", "14/06/2020", "15/07/2020"]
    (column,), lines = rewrite(cells, names=["Sent"])
    assert column == [
        *("2020-01-13", "2020-02-25", "2020-03-30", "2020-04-28", "12/31/2020", "2020-06-14", "2020-07-15"),
    ]
    assert lines[0].endswith("; 1 cell is not a date (“12/31/2020” in row 6); stored as text")


def test_dates_that_fit_both_orders_stay_and_are_reported() -> None:
    (column,), lines = rewrite(["01/02/2020", "03/04/2020", "05/06/2020"], names=["Sent"])
    assert column == ["01/02/2020", "03/04/2020", "05/06/2020"]
    assert len(lines) == 1
    assert lines[0].startswith("Sent: day or month first is not clear")


def test_words_among_numbers_stay_and_are_named_with_their_row() -> None:
    (column,), lines = rewrite(["1,5", "2,5", "various", "4,0", "7,5", "3,1"], names=["Width"])
    assert column == ["1.5", "2.5", "various", "4.0", "7.5", "3.1"]
    assert lines == ["Width: “1,5” becomes 1.5; 1 cell is not a number (“various” in row 4); stored as text"]


def test_a_column_that_is_half_text_is_reported_and_stays() -> None:
    cells = ["12", "ask Marta", "7", "broken", "30", "see list"]
    (column,), lines = rewrite(cells, names=["Count"])
    assert column == cells
    assert lines == ["Count: 3 of 6 different values are numbers, the others text; stored as text"]


@pytest.mark.parametrize(
    "cells",
    [
        ["01730", "02149", "12866"],
        ["12A", "14B", "15", "16C"],
        ["1 Main Street", "2 Mill Lane", "3 High Road"],
        ["1.2.3", "1.10.0", "2.0.1"],
        ["12 Monkeys", "7 Samurai", "8 Women", "1984"],
        ["555-1234", "555-9876", "555-0000"],
    ],
)
def test_codes_addresses_and_titles_stay(cells: list[str]) -> None:
    (column,), lines = rewrite(cells)
    assert column == cells
    assert lines == []


def test_signs_that_state_no_value_are_emptied_in_a_column_of_texts() -> None:
    (column,), lines = rewrite(["Ola", "n/a", "Per", "?", "Unknown"], names=["Keeper"])
    assert column == ["Ola", None, "Per", None, "Unknown"]
    assert lines == ["Keeper: 2 missing values (“?” 1, “n/a” 1)"]


def test_yes_and_no_in_another_language_have_missing_values_too() -> None:
    (column,), lines = rewrite(["ja", "nein", "k.A.", "ja"], names=["Insured"])
    assert column == ["ja", "nein", None, "ja"]
    assert lines == ["Insured: 1 missing value (“k.A.” 1)"]


@pytest.mark.parametrize(
    "cells, expected, line",
    [
        (
            ["12 km", "8 mi", "3 km"],
            ["12 km", "12.874752 km", "3 km"],
            "(km, mi); converted to km: “8 mi” becomes",
        ),
        (
            ["850 g", "1,2 kg", "3 kg"],
            ["0.85 kg", "1.2 kg", "3 kg"],
            "(kg, g); converted to kg: “850 g” becomes",
        ),
        (
            ["2 h", "45 min", "90 min"],
            ["120 min", "45 min", "90 min"],
            "(min, h); converted to min: “2 h” becomes",
        ),
        (["33 cl", "1 l", "2 l"], ["0.33 l", "1 l", "2 l"], "(l, cl); converted to l: “33 cl” becomes"),
    ],
)
def test_amounts_in_several_units_of_one_measure_are_converted(
    cells: list[str], expected: list[str], line: str
) -> None:
    (column,), lines = rewrite(cells, names=["Size"])
    assert column == expected
    assert line in lines[-1]


@pytest.mark.parametrize("cells", [["12 EUR", "8 USD", "3 EUR"], ["€4", "$7.50", "€9"], ["2 kg", "40 cm", "3 kg"]])
def test_currencies_and_different_measures_are_not_converted(cells: list[str]) -> None:
    (column,), lines = rewrite(cells, names=["Price"])
    assert column == cells
    assert lines[0].endswith("which cannot be converted; the amounts are not compared or added up")


def test_letters_behind_numbers_that_are_no_units_are_not_reported() -> None:
    (column,), lines = rewrite(["7a", "7b", "8a"], names=["Form"])
    assert (column, lines) == (["7a", "7b", "8a"], [])


def test_yes_and_no_are_written_in_one_way() -> None:
    cells = ["yes", "no", "Yes", "N", "y", "no", "yes"]
    (column,), lines = rewrite(cells, names=["Helper"])
    assert column == ["yes", "no", "yes", "no", "yes", "no", "yes"]
    assert lines == ["Helper: “Yes” becomes yes, “y” becomes yes, “N” becomes no"]


def test_dates_with_points_have_the_day_first() -> None:
    (column,), lines = rewrite(["2011-04-02", "03.05.2016", "2018-01-20"], names=["Joined"])
    assert column == ["2011-04-02", "2016-05-03", "2018-01-20"]
    assert lines == ["Joined: “03.05.2016” becomes 2016-05-03"]


def test_one_word_among_few_amounts_is_an_exception() -> None:
    (column,), lines = rewrite(["£4.00", "£7.50", "£9.00", "free"], names=["Fee"])
    assert column == ["£4.00", "£7.50", "£9.00", "free"]
    assert lines == ["Fee: 1 cell is not a number (“free” in row 5); stored as text"]


def test_a_dotted_sign_for_no_value_is_emptied_in_a_column_of_texts() -> None:
    (column,), _ = rewrite(["0661 22", "k.A.", "0561 99"], names=["Phone"])
    assert column == ["0661 22", None, "0561 99"]


def test_a_missing_value_far_below_the_first_rows_is_found() -> None:
    with duckdb.connect() as db:
        db.execute("CREATE TABLE t AS SELECT range AS row, (range % 50)::VARCHAR AS c0 FROM range(30000)")
        db.execute("UPDATE t SET c0 = 'n/a' WHERE row >= 29998")
        assert rewrite_columns(db, "t", ["Fee"]) == ["Fee: 2 missing values (“n/a” 2)"]
