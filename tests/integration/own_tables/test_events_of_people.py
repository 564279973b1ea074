"""Events that refer to people and things: who never did anything, yes or no, and which date is meant."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

FILES = {
    "rentals.csv": (
        "rental,customer,tool,rented,due,returned\nR1,Ada,drill,2024-01-03,2024-01-05,2024-01-05\n"
        "R2,Ben,saw,2024-01-04,2024-01-07,2024-02-09\nR3,Ada,ladder,2024-02-01,2024-02-03,2024-02-03\n"
        "R4,Cleo,drill,2024-02-28,2024-03-02,2024-03-05\nR5,Ben,drill,2024-03-01,2024-03-04,\n"
    ),
    "customers.csv": (
        "name,town,joined\nAda,Ghent,2022-01-01\nBen,Bruges,2021-05-03\nCleo,Ghent,2023-02-01\nDirk,Aalst,2023-06-01\n"
        "Eva,Ghent,2020-07-07\n"
    ),
    "tools.csv": "tool,price,owner\ndrill,5,Smith\nsaw,4,Jones\nladder,6,Smith\nsander,3,Jones\n",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("shop"), FILES, together="shop")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("who has never rented anything", {"Dirk", "Eva"}),
        ("who returned something late", {"Ben", "Cleo"}),
        ("Which customers have never rented a drill?", {"Dirk", "Eva"}),
        ("Who rented a tool in February 2024?", {"Ada", "Cleo"}),
        ("How many rentals per customer and month?", {"Ada, 2024-01", "Ada, 2024-02", "Ben, 2024-01"}),
        ("Who is the newest customer?", {"Dirk"}),
        ("Did Ada rent the drill?", {"yes"}),
        ("Did Cleo rent the saw?", {"no"}),
        ("Has Ben rented a ladder?", {"no"}),
        ("Did Dirk rent the saw?", set()),
    ],
)
def test_events_say_who_did_what_and_when(shop: Hydra, question: str, answers: set[str]) -> None:
    said = {a.name.removesuffix(": 1") for a in shop.ask(question, keep=False).answers}
    assert said == answers or (" per " in question and said > answers)


BRIGADE = {
    "members.csv": (
        "Name,Rank,Joined\nKarin Wolf,captain,1998-05-01\nJens Maier,lieutenant,2006-03-15\n"
        "Elif Kaya,firefighter,2015-09-01\nRolf Stern,firefighter,2001-01-20\nUte Brandt,lieutenant,2010-10-10\n"
    ),
    "trainings.csv": (
        "Training,Date,Topic,Trainer,Attended by,Hours\nT1,2024-01-10,first aid,Ute Brandt,Elif Kaya; Jens Maier,3\n"
        "T2,2024-02-07,ladders,Karin Wolf,Jens Maier; Elif Kaya; Rolf Stern,2\n"
        "T3,2024-03-13,boats,Rolf Stern,Elif Kaya; Jens Maier,4.5\n"
    ),
}


@pytest.fixture(scope="module")
def brigade(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("brigade"), BRIGADE, together="brigade")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Who attended the training on boats?", {"Elif Kaya", "Jens Maier"}),  # not the trainer
        ("Who has never attended a training?", {"Karin Wolf", "Ute Brandt"}),
        ("Who attended the most trainings?", {"Elif Kaya", "Jens Maier"}),
    ],
)
def test_a_training_is_no_trainer(brigade: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in brigade.ask(question, keep=False).answers} == answers


OBSERVATORY = {
    "observers.csv": "observer_id,name,birth year\n1,Greta Halm,1961\n2,Milo Berg,1994\n3,Sigrid Noll,1955\n",
    "observations.csv": (
        "observation_id,observer_id,target,night,comment\n1,1,Saturn,2024-01-12,rings tilted\n"
        "2,2,Jupiter,2024-02-09,\n3,1,Jupiter,2024-03-01,first time!\n4,1,Pleiades,2024-03-01,faint\n"
    ),
}


def test_observations_are_no_observers(tmp_path_factory: pytest.TempPathFactory) -> None:
    for place in loaded(tmp_path_factory.mktemp("observatory"), OBSERVATORY, together="observatory"):
        assert [a.name for a in place.ask("Who made the most observations?", keep=False).answers] == ["Greta Halm"]
        answers = {a.name for a in place.ask("Who has not observed anything?", keep=False).answers}
        assert answers <= {"Sigrid Noll"}  # no comment
