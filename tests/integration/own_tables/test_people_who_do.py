"""People called by what they do, numbers of things to be named, and kinds of which no thing has a property."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

THEATRE = {
    "people.csv": "name,born\nIda Moen,1962\nJon Lie,1974\nEva Dahl,1981\nPer Vik,1990\n",
    "plays.csv": "title,genre,opened,minutes,sold out\nDusk,Comedy,2018-03-02,95,yes\nSalt,Drama,2019-05-11,140,no\n"
    "The Pier,Comedy,2019-10-01,110,no\nNorth,Drama,2020-02-20,150,no\nEmber,Farce,2021-04-04,80,no\n",
    "acted_in.csv": "person,play,role\nIda Moen,Dusk,Nurse\nJon Lie,Dusk,Judge\nIda Moen,Salt,Queen\n"
    "Eva Dahl,Salt,Maid\nJon Lie,The Pier,Sailor\nIda Moen,North,Widow\n",
    "reviews.csv": "reviewer,play,stars\nTove Aas,Dusk,4\nTove Aas,Salt,5\nRolf Nes,Salt,2\nRolf Nes,North,3\n",
}


@pytest.fixture(scope="module")
def theatre(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("theatre"), THEATRE, together="theatre")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Which actors were born after 1970?", {"Jon Lie", "Eva Dahl"}),
        ("How many actors are there?", {"3"}),
        ("Who is the youngest actor?", {"Eva Dahl"}),
        ("Which 2 plays are the longest?", {"North", "Salt"}),
        ("Who are 2 actors of Dusk?", {"Ida Moen", "Jon Lie"}),
        ("Name 2 plays with more than 100 minutes.", {"Salt", "The Pier"}),
        ("How many plays opened in the year 2019?", {"2"}),
        ("Which play genres do not have any sold out plays?", {"Drama", "Farce"}),
    ],
)
def test_they_are_found(theatre: Hydra, question: str, answers: set[str]) -> None:
    assert {found.name for found in theatre.ask(question, keep=False).answers} == answers


def test_a_long_question_is_answered_where_all_its_parts_have_a_place(theatre: Hydra) -> None:
    question = "Which people born before 1970 acted in a play with more than 145 minutes that opened in the year 2020?"
    assert [found.name for found in theatre.ask(question, keep=False).answers] == ["Ida Moen"]


DIVES = {
    "divers.csv": "name,joined,level,phone\nMara Quist,2019-04-02,Instructor,0151 22\nBen Osei,2021-06-14,Advanced,\n"
    "Ilse Brandt,2022-01-09,Beginner,0160 7\nTomas Vega,2018-11-30,Divemaster,0171 9\n",
    "dives.csv": "dive,diver,site,date,depth m,minutes\n1,Mara Quist,Blue Wall,2024-05-01,28,42\n"
    "2,Ben Osei,Blue Wall,2024-05-01,27,40\n3,Ilse Brandt,Old Pier,2024-05-02,12,35\n"
    "4,Tomas Vega,The Kraken,2024-06-10,38,31\n5,Ben Osei,The Kraken,2024-06-10,36,30\n"
    "6,Ilse Brandt,Blue Wall,2024-07-19,18,38\n",
}


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("club"), DIVES, together="club")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Who dived the deepest?", ["Tomas Vega"]),
        ("When did Ilse Brandt last dive?", ["2024-07-19"]),  # not when she joined
        ("When was the last dive of Ilse Brandt?", ["2024-07-19"]),
        ("Who dived with Ben Osei at The Kraken?", []),  # no level
    ],
)
def test_who_took_part_in_events_is_a_person(club: Hydra, question: str, answers: list[str]) -> None:
    assert [found.name for found in club.ask(question, keep=False).answers] == answers
