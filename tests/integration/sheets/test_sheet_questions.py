"""Questions about one CSV file that need the order of its rows, a comparison of two rows, or a sum over rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra
from hydra_kg.citations import SURE

REGATTA = """Place,Skipper,Club,Points,Boat
1,Una Lind,Bergen,61,Gull
2,Ole Berg,Visby,54,Tern
3,Pia Holm,Bergen,54,"The ""Old"" Auk"
4,Jan Moen,Turku,40,Skua
5,Ada Falk,Visby,12,Eider
"""


@pytest.fixture(scope="module")
def hydra(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("hydra"), {"regatta.csv": REGATTA})


@pytest.mark.parametrize(
    "question, answer",
    [
        ("Which boat is listed after Tern?", 'The "Old" Auk'),
        ("Who had more points, Jan Moen or Ada Falk?", "Jan Moen"),
        ("How many points did Jan Moen and Ada Falk have in total?", "52"),
        ("What is the last boat listed?", "Eider"),
    ],
)
def test_a_sheet_is_read_in_its_order(hydra: Hydra, question: str, answer: str) -> None:
    found = hydra.ask(question, keep=False)
    assert [a.name for a in found.answers] == [answer]
    assert found.evidence or found.citations


COSTS = """Item,Year ended 2018,Year ended 2019
Products,40,60
Services,10,30
Support,50,12
Travel,7,9
"""


@pytest.fixture(scope="module")
def costs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("costs"), {"costs.csv": COSTS})


@pytest.mark.parametrize(
    "question, answers",
    [
        ("In which year was Services larger?", ["2019"]),
        ("In which year was Support less than 20?", ["2019"]),
        ("What was Products in 2019 and 2018 respectively?", ["60", "40"]),
        ("What is the percentage change in Products from 2018 to 2019?", ["50"]),
    ],
)
def test_years_as_headings_are_answers_and_conditions(costs: Hydra, question: str, answers: list[str]) -> None:
    found = costs.ask(question, keep=False)
    assert [a.name for a in found.answers] == answers
    assert found.evidence or found.citations


MEDALS = "Rank,Nation,Gold,Silver,Total\n1,China,12,9,21\n2,Japan,10,3,13\n3,Iran,3,5,8\n4,India,0,1,1\n"


@pytest.fixture(scope="module")
def medals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("medals"), {"medals.csv": MEDALS})


@pytest.mark.parametrize(
    "question, wrong",
    [
        ("How many medals did China and Japan win combined?", "2"),
        ("Which nation ranks second?", "1"),
    ],
)
def test_names_of_the_question_are_not_counted_nor_a_place_left_out(medals: Hydra, question: str, wrong: str) -> None:
    found = medals.ask(question, keep=False)
    assert wrong not in [a.name for a in found.answers]


def test_an_answer_that_leaves_a_word_out_is_never_sure(hydra: Hydra) -> None:
    found = hydra.ask("Which skipper is listed after Pia Holm in the yearbook?", keep=False)
    assert found.abstained or found.confidence < SURE


def test_a_heading_without_letters_and_marks_escaped_by_backslashes(tmp_path: Path) -> None:
    text = (
        '"#","Name","Note\nof the purser"\n'
        '"1.","Gull","Also called \\"Grey Gull\\"."\n"2.","Tern","Sold,\n as \\"Arctic\\"."\n"3.","Auk",""\n'
    )
    (tmp_path / "boats.csv").write_text(text, encoding="utf-8")
    with Hydra(store=tmp_path / "boats.db", agent="offline") as hydra:
        hydra.load(tmp_path / "boats.csv")
        found = hydra.ask("What is the note of the purser of Gull?", keep=False)
        assert [a.name for a in found.answers] == ['Also called "Grey Gull".']
        assert [a.name for a in hydra.ask("How many names are listed?", keep=False).answers] == ["3"]
