"""A table of people loaded alone: who they refer to, and how old they are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

PEOPLE = """id,name,sponsor,born
1,Bo Rask,,1861-04-02
2,Ida Lund,1,1990-03-05
3,Tor Vik,2,1958-11-02
4,Una Falk,2,1999-12-24
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """One CSV file of people, loaded and opened."""
    yield from loaded(tmp_path_factory.mktemp("people"), {"people.csv": PEOPLE})


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Who is the sponsor of Tor Vik?", {"Ida Lund"}),
        ("Who sponsors Ida Lund?", {"Bo Rask"}),
        ("Who did Ida Lund sponsor?", {"Tor Vik", "Una Falk"}),
        ("Whose sponsor is Ida Lund?", {"Tor Vik", "Una Falk"}),
    ],
)
def test_each_end_of_a_relation_is_found(people: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in people.ask(question, keep=False).answers} == answers


def test_nobody_is_older_than_people_get(people: Hydra) -> None:
    assert people.ask("How old is Bo Rask?", keep=False).abstained
    assert not people.ask("How old is Ida Lund?", keep=False).abstained
