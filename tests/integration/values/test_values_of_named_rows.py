"""Rows are compared with the value of a named row: the same room, as tall as, twice as much, before it was painted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hydra_kg import Hydra

PAINTINGS = """painting,painter,painted on,height_cm,width_cm,price,room
Harbour at Dusk,Ida Moreau,1911-04-02,60,90,12000,Blue Room
The Old Orchard,Ida Moreau,1913-09-20,80,60,9500,Oak Room
Winter Market,Tom Berger,1911-11-14,120,150,22000,Blue Room
Girl with Lute,Sara Lindt,1899-04-02,50,40,7000,Hall
Red Bridge,Tom Berger,1921-06-30,100,150,18000,Oak Room
Still Life with Pears,Olga Weiss,1921-01-05,40,50,7000,Hall
7 Swans,Olga Weiss,1930-05-05,200,300,45000,Great Hall
"""
PAINTERS = """painter,born,died,birthplace,country,school
Ida Moreau,1880,1950,Lyon,France,Paris Salon
Tom Berger,1885,1960,Basel,Switzerland,Basel Circle
Sara Lindt,1860,1890,Basel,Switzerland,Basel Circle
Olga Weiss,1895,1971,Vienna,Austria,Vienna Group
"""
VISITS = """visitor,painting,date,minutes
Anna,Girl with Lute,2024-03-01,12
Anna,Winter Market,2024-03-01,5
Ben,7 Swans,2024-03-04,20
"""
ADVERTS = """advert,place,posting date,rooms
Mill Lane,Leeds,2014,3
River Road,York,2015-01-03,2
Elm Avenue,York,2015-01-02,4
Park Row,Leeds,2015-02-03,1
"""

_PEARS = "Still Life with Pears"
_OF_TWO_YEARS = ["Harbour at Dusk", "Red Bridge", _PEARS, "Winter Market"]
_ELSEWHERE = ["7 Swans", "Girl with Lute", "Red Bridge", _PEARS, "The Old Orchard"]


@pytest.fixture(scope="module")
def hydra(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder = tmp_path_factory.mktemp("gallery")
    for name, rows in (("paintings", PAINTINGS), ("painters", PAINTERS), ("visits", VISITS)):
        (folder / f"{name}.csv").write_text(rows, encoding="utf-8")
    with Hydra(store=folder.parent / "gallery.db", agent="offline") as hydra:
        hydra.load(folder)
        yield hydra


@pytest.mark.parametrize(
    "question, names",
    [
        ("Which paintings hang in the same room as Winter Market?", ["Harbour at Dusk"]),
        ("Which paintings are not in the same room as Winter Market?", _ELSEWHERE),
        ("Which paintings were painted in the same year as Winter Market?", ["Harbour at Dusk"]),
        ("Which paintings were painted by the same painter as Red Bridge?", ["Winter Market"]),
        ("Who was born in the same place as Sara Lindt?", ["Tom Berger"]),
        ("Who belongs to the same school as Tom Berger?", ["Sara Lindt"]),
        ("Which paintings are as wide as Red Bridge?", ["Winter Market"]),
        ("Which paintings cost as much as Girl with Lute?", [_PEARS]),
        ("Which paintings are at least as tall as Winter Market?", ["7 Swans"]),
        ("Which paintings cost at least three times as much as Girl with Lute?", ["7 Swans", "Winter Market"]),
        ("Which paintings are less than half as tall as Winter Market?", ["Girl with Lute", _PEARS]),
        ("Which painters were born after Sara Lindt died?", ["Olga Weiss"]),
    ],
)
def test_rows_with_a_value_of_a_named_row_leave_it_out(hydra: Hydra, question: str, names: list[str]) -> None:
    answer = hydra.ask(question, keep=False)
    assert sorted(one.name for one in answer.answers) == names
    assert not answer.unchecked


@pytest.mark.parametrize(
    "question, names",
    [
        ("Which paintings were painted in 1911 or 1921?", _OF_TWO_YEARS),
        ("Which painters died in 1890 or 1950?", ["Ida Moreau", "Sara Lindt"]),
        ("Which paintings were painted in April?", ["Girl with Lute", "Harbour at Dusk"]),
        ("Which paintings were painted on April 2nd?", ["Girl with Lute", "Harbour at Dusk"]),
        ("Which paintings were painted in April or June?", ["Girl with Lute", "Harbour at Dusk", "Red Bridge"]),
        (
            "Which paintings cost less than 8000 or more than 20000?",
            ["7 Swans", "Girl with Lute", _PEARS, "Winter Market"],
        ),
    ],
)
def test_alternatives_and_days_of_any_year(hydra: Hydra, question: str, names: list[str]) -> None:
    assert sorted(one.name for one in hydra.ask(question, keep=False).answers) == names


@pytest.mark.parametrize("question", ["Which painting was painted on the same day as Girl with Lute?"])
def test_visits_on_one_day_do_not_say_when_something_was_painted(hydra: Hydra, question: str) -> None:
    assert not hydra.ask(question, keep=False).answers


@pytest.mark.parametrize(
    "question, truth",
    [
        ("Is 7 Swans in the same room as Red Bridge?", "no"),
        ("Were Winter Market and Harbour at Dusk painted in the same year?", "yes"),
        ("Were Winter Market and Red Bridge painted in the same year?", "no"),
        ("Do Red Bridge and Winter Market have the same painter?", "yes"),
        ("Is Winter Market as wide as Red Bridge?", "yes"),
    ],
)
def test_two_named_rows_are_compared(hydra: Hydra, question: str, truth: str) -> None:
    assert [one.name for one in hydra.ask(question, keep=False).answers] == [truth]


def test_a_column_of_days_and_years_says_when(tmp_path_factory: pytest.TempPathFactory) -> None:
    table = tmp_path_factory.mktemp("adverts") / "adverts.csv"
    table.write_text(ADVERTS, encoding="utf-8")
    with Hydra(store=table.parent / "adverts.db", agent="offline") as hydra:
        hydra.load(table)
        earlier = hydra.ask("Which adverts were posted before 2015-01-03?", keep=False)
        before = hydra.ask("Which adverts were posted before River Road?", keep=False)
    assert {one.name for one in earlier.answers} == {one.name for one in before.answers} == {"Mill Lane", "Elm Avenue"}
