"""A fragment replaces one slot of the last question, or continues the question before the last."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.dialogue.resolve import resolve
from hydra_kg.dialogue.turn import Resolved, Turn, Unresolved

CLUB = Path(__file__).resolve().parents[3] / "bench" / "dialogues" / "club"


@pytest.mark.parametrize(
    "last, said, expected",
    [
        ("Which boats cost more than 50000 euros?", "and less than 5000?", "Which boats cost less than 5000 euros?"),
        ("What is the average price of the boats?", "and the highest?", "What is the highest price of the boats?"),
        ("What is the total price of all boats?", "and the average?", "What is the average price of all boats?"),
        ("How many of the boats are ketches?", "and sloops?", "How many of the boats are sloops?"),
        ("Who is the treasurer?", "and the chair?", "Who is the chair?"),
    ],
)
def test_a_fragment_takes_the_slot_of_its_kind(last: str, said: str, expected: str) -> None:
    found = resolve(said, Turn(last))
    assert isinstance(found, Resolved)
    assert found.text == expected


@pytest.mark.parametrize("last", ["Which boats are in Kiel?", "How long is the Seeadler?"])
@pytest.mark.parametrize("said", ["and less than 5000?", "and sloops?"])
def test_a_fragment_without_its_slot_is_refused(last: str, said: str) -> None:
    assert isinstance(resolve(said, Turn(last)), Unresolved)


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder = tmp_path_factory.mktemp("club")
    shutil.copytree(CLUB, folder / "tables")
    with Hydra(store=folder / "store") as hydra:
        hydra.load(*sorted((folder / "tables").glob("*.csv")), source="club")
        yield hydra


@pytest.mark.slow
@pytest.mark.parametrize(
    "turns, expected",
    [
        (["What is the cheapest boat?", "How long is it?", "and the most expensive?"], "Windsbraut"),
        (["Who is the treasurer?", "and the chair?", "When did she join?"], "2012"),
        (["Who is the captain?", "When did he join?", "Who is the secretary?"], "Eva Brandt"),
        (["How many members live in Husum?", "Who are they?", "and in Flensburg?"], "1"),
    ],
)
def test_a_dialogue_over_own_tables_ends_with_its_answer(club: Hydra, turns: list[str], expected: str) -> None:
    answer = None
    for text in turns:
        answer = club.ask(text, after=answer, agent="offline")
    assert answer is not None
    assert [a.name for a in answer.answers] == [expected]
