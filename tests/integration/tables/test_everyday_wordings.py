"""Everyday wordings of counts, limits, alternatives and units are read over tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

MUSEUM = {
    "artists.csv": "name,gender,city,phone\nIda Lund,female,Bergen,555-2222\nOmar Haddad,male,Oslo,555-1900\n"
    "Mei Tanaka,female,Oslo,555-2221\nBen Cole,male,York,555-1222\n",
    "galleries.csv": "name,street,floor area in m2,opened\nNorth Room,Quay Street,120,1890\n"
    "Glass Hall,Quay Street,450,1922\nTall Hall,Mill Lane,300,1930\nGarden Room,Park Road,80,1901\n",
    "works.csv": "title,artist,gallery,value in thousand,style\nBlue Tide,Ida Lund,North Room,40,abstract\n"
    "Stone Field,Ida Lund,Glass Hall,75,realist\nGrey Harbour,Omar Haddad,Glass Hall,20,realist\n"
    "Paper Moon,Mei Tanaka,Tall Hall,55,abstract\nOpen Gate,Mei Tanaka,Tall Hall,15,abstract\n"
    "Long Shadow,Mei Tanaka,Garden Room,90,realist\n",
    "sales.csv": "sale no,work,sold on,price\n101,Blue Tide,2023-01-05,120\n102,Open Gate,2023-04-02,980\n"
    "103,Paper Moon,2024-02-14,45\n104,Grey Harbour,2024-03-01,310\n",
    "curated.csv": "artist,gallery,season\nIda Lund,Tall Hall,Spring\nBen Cole,Tall Hall,Autumn\n",
}
"""Artists, galleries, works and who curated them; no question names a heading with its unit."""


@pytest.fixture(scope="module")
def museum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("museum"), MUSEUM, together="museum")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Which street has the most number of galleries?", {"Quay Street"}),
        ("Which galleries have a floor area above 200?", {"Glass Hall", "Tall Hall"}),
        ("Show the titles of the works whose value is lower than the highest value.", None),
        ("List the phone numbers of all artists.", {"555-2222", "555-1900", "555-2221", "555-1222"}),
        ("Which artists have a phone number ending in '2222'?", {"Ida Lund"}),
        ("List all artists from outside of Oslo and Bergen.", {"Ben Cole"}),
        ("List the top 2 artists based on the number of works.", {"Mei Tanaka", "Ida Lund"}),
        ("Which galleries opened before 1900 or are in Park Road?", {"North Room", "Garden Room"}),
        ("Among the artists from Oslo, how many of them are female?", {"1"}),
        ("What are the first 2 galleries?", {"North Room", "Glass Hall"}),
        ("Find the number of works by the artist 'Mei Tanaka'.", {"3"}),
        ("What was the largest sale?", {"Open Gate"}),
        ("What is the highest sale number?", {"104"}),
        ("List the 2 galleries in the database with the largest floor area.", {"Glass Hall", "Tall Hall"}),
    ],
)
def test_everyday_wordings_are_answered(museum: Hydra, question: str, answers: set[str] | None) -> None:
    found = {answer.name for answer in museum.ask(question, keep=False).answers}
    assert found == (answers or {"Blue Tide", "Stone Field", "Grey Harbour", "Paper Moon", "Open Gate"})


def test_a_limit_that_nothing_orders_is_not_passed_over(museum: Hydra) -> None:
    answers = museum.ask("List the top 2 galleries.", keep=False).answers
    assert len(answers) <= 2


def test_who_is_answered_by_the_people_of_an_event(museum: Hydra) -> None:
    answers = {answer.name for answer in museum.ask("Who curated the Tall Hall?", keep=False).answers}
    assert answers == {"Ida Lund", "Ben Cole"}
