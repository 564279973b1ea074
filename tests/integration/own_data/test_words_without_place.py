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


BRIDGES = """bridge,length,material,architect,opened
Ferry Bridge,520,steel,Ada Lind,1931-05-01
Mill Bridge,75,stone,Ada Lind,1871-09-12
Otter Bridge,180,steel,Bo Rask,1902-03-30
Quay Bridge,90,steel,Ada Lind,1950-07-07
"""
ARCHITECTS = """name,born
Ada Lind,1899-02-11
Bo Rask,1860-12-01
"""


@pytest.fixture(scope="module")
def bridges(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """A folder of two tables, loaded and opened."""
    folder = tmp_path_factory.mktemp("bridges")
    (folder / "data").mkdir()
    (folder / "data" / "bridges.csv").write_text(BRIDGES, encoding="utf-8")
    (folder / "data" / "architects.csv").write_text(ARCHITECTS, encoding="utf-8")
    with Hydra(store=folder / "store", agent="offline") as hydra:
        hydra.load(folder / "data")
        yield hydra


@pytest.mark.parametrize("question", ["How wide is Ferry Bridge?", "What colour is Ferry Bridge?"])
def test_a_measure_or_quality_that_the_data_lack_is_not_replaced(bridges: Hydra, question: str) -> None:
    assert bridges.ask(question, keep=False).abstained


def test_a_stated_birth_is_no_death(bridges: Hydra) -> None:
    """No death is stated, so the date of birth must not end the life before the bridge was opened."""
    assert bridges.ask("How old was Bo Rask when Otter Bridge was opened?", keep=False).answer_text == "41"


def test_the_verb_of_a_percentage_parts_all_rows_from_those_counted(bridges: Hydra) -> None:
    asked = "What percentage of bridges of Ada Lind were made of steel?"
    assert float(bridges.ask(asked, keep=False).answers[0].name) == pytest.approx(66.67, abs=0.01)


@pytest.mark.parametrize("said", ["good morning", "Thank you!"])
def test_a_greeting_lists_no_rows(tmp_path, said: str) -> None:
    """ "Goods" means products, but nobody asks for them here."""
    file = tmp_path / "products.csv"
    file.write_text("product,price\nRug,40\nLamp,25\nBowl,12\n", encoding="utf-8")
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(file)
        assert hydra.ask(said, keep=False).abstained
