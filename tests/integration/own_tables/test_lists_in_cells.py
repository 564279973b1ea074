"""Cells that list several values, and references by the names of rows that have numbers as keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

FILES = {
    "games.csv": (
        "Title,Designer,Mechanics\n"
        'Cathedral Row,Uwe Lindqvist,"tile laying; drafting"\nSalt Road,Mina Castell,"trading; drafting"\n'
        'Night Market,Mina Castell,"trading; bluffing"\nClockmakers,Uwe Lindqvist,"worker placement, drafting"\n'
    ),
    "members.csv": (
        "No,Member,Street\n1,Hanne Vogt,Mill Lane\n2,Raj Patel,Station Road\n"
        "3,Ewa Nowak,Mill Lane\n4,Leo Marsh,Mill Lane\n"
    ),
    "loans.csv": (
        "Loan,Game,Borrower,Due,Returned\n1,Salt Road,Hanne Vogt,2024-01-19,2024-01-18\n"
        "2,Night Market,Raj Patel,2024-02-01,\n3,Clockmakers,Ewa Nowak,2024-02-09,2024-02-10\n"
    ),
    "evenings.csv": (
        'Evening,Guests,Food\nAutumn,"Raj Patel, Ewa Nowak",soup\nWinter,"Ewa Nowak, Hanne Vogt",cake\n'
        "Spring,Ewa Nowak,salad\n"
    ),
}


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("club"), FILES, together="club")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Which games use drafting?", {"Cathedral Row", "Salt Road", "Clockmakers"}),
        ("Which mechanics does Salt Road have?", {"trading", "drafting"}),
        ("Who has not returned a game?", {"Raj Patel"}),
        ("Who still has a game?", {"Raj Patel"}),
        ("Which members still have Night Market?", {"Raj Patel"}),
        ("Who returned a game late?", {"Ewa Nowak"}),
        ("Which member never borrowed a game?", {"Leo Marsh"}),
        ("Who were the guests of the Autumn evening?", {"Raj Patel", "Ewa Nowak"}),
    ],
)
def test_values_of_lists_and_names_are_things(club: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in club.ask(question, keep=False).answers} == answers


@pytest.mark.parametrize(
    "question, said",
    [
        ("How many games per mechanic?", ("drafting: 3", "trading: 2", "worker placement: 1")),
        ("How many loans per street?", ("Mill Lane: 2", "Station Road: 1")),
    ],
)
def test_groups_and_counts_take_each_value(club: Hydra, question: str, said: tuple[str, ...]) -> None:
    text = club.ask(question, keep=False).answer_text
    assert all(one in text for one in said)
