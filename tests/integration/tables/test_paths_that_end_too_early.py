"""A path that lacks a noun of the question is no answer: the children are not the nation of somebody's children."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

PEOPLE = [
    ("lise_torp", "children", "arne_torp"),
    ("lise_torp", "spouse", "odd_torp"),
    ("arne_torp", "gender", "male"),
    ("arne_torp", "profession", "organist"),
    ("arne_torp", "children", "siri_torp"),
    ("odd_torp", "profession", "baker"),
    ("odd_torp", "gender", "male"),
    ("siri_torp", "gender", "female"),
    ("siri_torp", "profession", "pilot"),
    ("pia_berg", "children", "siri_torp"),
    ("pia_berg", "spouse", "arne_torp"),
]
"""People without classes, whose relations are called by their local names alone."""


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    lines = "".join(
        f"<http://people.test/{s}> <http://people.test/{p}> <http://people.test/{o}> .\n" for s, p, o in PEOPLE
    )
    yield from loaded(tmp_path_factory.mktemp("people"), {"people.nt": lines})


@pytest.mark.parametrize(
    "question",
    [
        "What is the nation of Lise Torp's offspring?",
        "What does Lise Torp's spouse do?",
        "What is the gender of Lise Torp's daughter's offspring?",
    ],
)
def test_a_path_without_a_noun_of_the_question_is_no_sure_answer(people: Hydra, question: str) -> None:
    answer = people.ask(question, keep=False)
    early = {"arne torp", "odd torp"}
    assert not early & {found.name.casefold() for found in answer.answers}


def test_a_path_with_every_noun_answers(people: Hydra) -> None:
    answers = people.ask("What is the profession of Lise Torp's children?", keep=False).answers
    assert [found.name for found in answers] == ["organist"]
