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
