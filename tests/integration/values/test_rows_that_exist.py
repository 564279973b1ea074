"""Whether there are such rows ("Is there a mill called Harl?"), and values that only another table has."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

FILES = {
    "millers.csv": "miller,country,born\nAda Fenn,Wales,1970\nBo Lind,Denmark,1981\nCleo Marsh,Wales,1992\n",
    "mills.csv": (
        "mill,miller,built,power,open\nHarl,Ada Fenn,1890,wind,yes\nTarn,Bo Lind,1910,water,no\n"
        "Old Rook,Cleo Marsh,1850,water,yes\nNew Rook,Cleo Marsh,1950,wind,no\n"
    ),
    "deliveries.csv": (
        "delivery,mill,date,sacks,ship country\nD1,Harl,2024-01-05,12,Norway\nD2,Tarn,2024-02-11,30,Wales\n"
        "D3,Old Rook,2024-02-20,7,Norway\n"
    ),
}


@pytest.fixture(scope="module")
def mills(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("mills"), FILES, together="mills")


@pytest.mark.parametrize(
    "question, answer",
    [
        ("Is there a mill called Harl?", "yes"),
        ("Is there a miller named Ada Fenn?", "yes"),
        ("Are there any water mills?", "yes"),
        ("Are there any mills built before 1900?", "yes"),
        ("Are there any mills that are not open?", "yes"),
        ("Are there any millers from Wales?", "yes"),
        ("Is there a wind mill built in 1910?", "no"),
        ("Is there a mill called Brack?", "no"),
    ],
)
def test_there_are_such_rows_or_none(mills: Hydra, question: str, answer: str) -> None:
    assert [a.name for a in mills.ask(question, keep=False).answers] == [answer]


@pytest.mark.parametrize(
    "question",
    [
        "Is there a mill called Ada Fenn?",  # she has one
        "Is there a mill called Rook?",  # two are called something with it
        "Are there any deliveries called Harl?",
        "Are there no water mills?",
    ],
)
def test_a_row_must_be_called_so(mills: Hydra, question: str) -> None:
    assert mills.ask(question, keep=False).answers == ()


@pytest.mark.parametrize("question", ["Which mills does D1 pass through?", "Which mills did Bo Lind grind in?"])
def test_a_verb_with_its_preposition_may_be_passed_over(mills: Hydra, question: str) -> None:
    assert len(mills.ask(question, keep=False).answers) == 1


@pytest.mark.parametrize(
    "question",
    ["Which millers are from Norway?", "How many millers are from Norway?", "Are there millers from Norway?"],
)
def test_a_value_of_another_table_is_not_taken(mills: Hydra, question: str) -> None:
    answer = mills.ask(question, keep=False)
    assert answer.answers == ()
    assert "miller has the country Norway" in answer.missing


def test_a_verb_may_ask_for_the_value_of_another_table(mills: Hydra) -> None:
    answer = mills.ask("Which mills delivered to Norway?", keep=False)
    assert {a.name for a in answer.answers} == {"Harl", "Old Rook"}
