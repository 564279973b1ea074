"""Questions over tables are answered by things of the type that they ask for, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

SCHOOL = {
    "teachers.csv": "code,name,subject,hours per week,started\nLIN,Ines Lindt,Geometry,24,2012-08-01\n"
    "OKO,Yemi Okoro,Latin,18,2019-08-01\nVAR,Brit Varga,Botany,26,2005-08-01\nSOL,Tove Solberg,Singing,12,\n",
    "classes.csv": "class,form teacher,room,floor\n7a,LIN,R12,1\n7b,OKO,R14,1\n8a,VAR,R21,2\n",
    "clubs.csv": "Club,Led by,Day,Places\nDraughts,OKO,Monday,20\nQuartet,SOL,Tuesday,40\nPond,VAR,Friday,12\n",
}


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("school"), SCHOOL, together="school")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("When did Tove Solberg start?", []),
        ("When did Yemi Okoro start?", ["2019-08-01"]),
        ("Who teaches Latin?", ["Yemi Okoro"]),
    ],
)
def test_answers_are_of_the_type_asked_for(school: Hydra, question: str, answers: list[str]) -> None:
    assert [found.name for found in school.ask(question, keep=False).answers] == answers


def test_the_top_ones_are_not_answered_by_a_sum_over_all(school: Hydra) -> None:
    answers = {found.name for found in school.ask("List the top 2 days by the number of places.", keep=False).answers}
    assert not answers & {"72", "3"}


LOANS = {
    "tools.csv": "tool_id,name,category\nT1,Belt Sander,power\nT2,Apple Picker,garden\n",
    "loans.csv": "loan_id,tool_id,lent_on,due_on\n1,T1,2024-03-01,2024-03-08\n2,T2,2024-08-28,2024-09-04\n",
}


@pytest.mark.parametrize("question", ["How long does a loan last?", "How long do loans last?"])
def test_a_day_is_no_length(tmp_path: Path, question: str) -> None:
    """The verb is no superlative; the time between two days is how long a loan lasts."""
    for shed in loaded(tmp_path, LOANS, together="shed"):
        assert {answer.name for answer in shed.ask(question, keep=False).answers} == {"7 days"}


BEDS = {
    "plants.csv": "name,bed\nLupin,Long bed\nIris,Long bed\nHosta,Long bed\nFern,Shade bed\nMoss,Shade bed\n"
    "Salvia,Hot bed\nDahlia,Hot bed\n",
    "beds.csv": "bed,gardener\nLong bed,Otto Falk\nShade bed,Ines Roth\nHot bed,Ines Roth\n",
}


def test_the_most_is_counted_for_each_value_that_rows_share(tmp_path: Path) -> None:
    """The gardener of the bed with most plants has fewer than one with two beds."""
    for garden in loaded(tmp_path, BEDS, together="garden"):
        asked = ("Which gardener has the most plants?", "Which bed has the most plants?")
        found = [garden.ask(question, keep=False).answers for question in asked]
        assert [[a.name for a in answers] for answers in found] == [["Ines Roth"], ["Long bed"]]
