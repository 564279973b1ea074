"""Years, quarters, months and weekdays of days: what is counted, added up or chosen by them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

FILES = {
    "boats.csv": (
        "boat,owner,built,survey\nAurora,Ida Berg,1987,2021-05-02\nTeist,Mona Vik,1968,2023-09-14\n"
        "Alke,Ida Berg,1987,2022-03-30\n"
    ),
    "trips.csv": (
        "trip_id,boat,sailed_on,miles\nT1,Aurora,2024-06-01,22.5\nT2,Teist,2024-06-08,11\nT3,Alke,2024-07-19,96\n"
        "T4,Aurora,2023-12-30,94.5\nT5,Aurora,2024-06-15,7\n"
    ),
}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """Two tables that refer to one another, loaded and opened."""
    yield from loaded(tmp_path_factory.mktemp("club"), FILES, together="club")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("How many trips were there in each month?", ["2023-12: 1", "2024-06: 3", "2024-07: 1"]),
        ("What is the total of miles per quarter?", ["2023 Q4: 94.5", "2024 Q2: 40.5", "2024 Q3: 96"]),
        ("What is the average of miles per year?", ["2023: 94.5", "2024: 34.125"]),
        ("Trips per weekday", ["Friday: 1", "Saturday: 4"]),
        ("Miles per month", ["2023-12: 94.5", "2024-06: 40.5", "2024-07: 96"]),
        ("What were the miles per month?", ["2023-12: 94.5", "2024-06: 40.5", "2024-07: 96"]),
        ("Miles per boat and year", ["Alke, 2024: 96", "Aurora, 2023: 94.5", "Aurora, 2024: 29.5", "Teist, 2024: 11"]),
        (
            "How many trips were there for each year and boat?",
            ["2023, Aurora: 1", "2024, Alke: 1", "2024, Aurora: 2", "2024, Teist: 1"],
        ),
        ("Monthly trips of the Aurora", ["2023-12: 1", "2024-06: 2"]),
        ("In which month did the most trips take place?", ["2024-06"]),
        ("In which month did the Alke sail?", ["2024-07"]),
        ("Which month had the most miles?", ["2024-07"]),
        ("How many trips were on a Friday?", ["1"]),
        ("Which trips were on a Friday?", ["T3"]),
        ("In which year were the most boats built?", ["1987"]),
        ("How many boats were built in each year?", ["1968: 1", "1987: 2"]),
        ("In which year was the Teist surveyed?", ["2023"]),
    ],
)
def test_days_are_grouped_and_chosen_by_their_parts(club: Hydra, question: str, answers: list[str]) -> None:
    found = club.ask(question, keep=False)
    assert [a.name for a in found.answers] == answers
    assert found.verdict != "partial"


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Trips per boat", {"Aurora: 3", "Teist: 1", "Alke: 1"}),
        ("What were the miles per trip?", {"T1: 22.5", "T2: 11", "T3: 96", "T4: 94.5", "T5: 7"}),
    ],
)
def test_nouns_are_counted_or_added_up_for_each_thing(club: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in club.ask(question, keep=False).answers} == answers


def test_the_day_itself_is_cited(club: Hydra) -> None:
    found = club.ask("In which month did the Alke sail?", keep=False)
    cited = {fact.locator.line for path in found.evidence for hop in path.path.hops for fact in hop.facts}
    assert cited == {4}
    assert "2024-07-19" in {hop.object.name for path in found.evidence for hop in path.path.hops}


def test_a_thing_without_any_amount_has_no_sum(tmp_path: Path) -> None:
    (tmp_path / "shows.csv").write_text(
        "show_id,artist,starts,tickets\n1,Ida Sol,2025-08-02 20:30,430\n2,Kestrel Trio,2025-08-03 12:00,n/a\n"
        "3,Ida Sol,2025-08-03 21:00,1200\n"
    )
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(tmp_path / "shows.csv", format="feed")
        assert hydra.ask("What is the total of tickets per artist?").answer_text == "Ida Sol: 1630"
        assert hydra.ask("On which weekday did the most shows start?").answer_text == "Sunday"


def test_a_part_of_a_day_that_no_word_leads_to_is_not_guessed(club: Hydra) -> None:
    assert club.ask("Which quarter was the worst?", keep=False).abstained
