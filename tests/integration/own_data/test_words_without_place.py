"""No answer over own tables is sure while a content word of the question has no place in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hydra_kg import Hydra
from hydra_kg.citations import SURE

CLUBS = """club,town,founded,points
Rovers,Larkwood,1901,44
United,Otterby,1888,39
Albion,Seaford,1921,51
Wanderers,Otterby,1899,39
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def clubs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """One CSV file of clubs, loaded and opened."""
    folder = tmp_path_factory.mktemp("clubs")
    file = folder / "clubs.csv"
    file.write_text(CLUBS, encoding="utf-8")
    with Hydra(store=folder / "store", agent="offline") as hydra:
        hydra.load(file)
        yield hydra


@pytest.mark.parametrize(
    "question",
    [
        "What is the manager of Rovers?",
        "How many players does Rovers have?",
        "Which goalkeeper is at Larkwood?",
    ],
)
def test_what_no_column_says_is_not_replaced_by_another_one(clubs: Hydra, question: str) -> None:
    assert clubs.ask(question, keep=False).abstained


@pytest.mark.parametrize(
    "question, answer, word",
    [
        ("How many points does Albion have now?", "51", "now"),
        ("What is the current town of Rovers?", "Larkwood", "current"),
        ("Which club has the fewest points?", "United and Wanderers", "which one, as 2 are equal"),
    ],
)
def test_a_word_without_a_place_is_named_and_the_answer_is_not_sure(
    clubs: Hydra, question: str, answer: str, word: str
) -> None:
    found = clubs.ask(question, keep=False)
    assert found.answer_text == answer
    assert found.confidence < SURE
    assert found.verdict == "partial"
    assert word in found.unchecked


@pytest.mark.parametrize(
    "question, answer",
    [
        ("Which town is Rovers in?", "Larkwood"),
        ("When was Albion founded?", "1921"),
        ("How many clubs are there?", "4"),
        ("Which club has the most points?", "Albion"),
    ],
)
def test_a_question_of_which_every_word_has_a_place_is_sure(clubs: Hydra, question: str, answer: str) -> None:
    found = clubs.ask(question, keep=False)
    assert found.answer_text == answer
    assert found.confidence >= SURE
