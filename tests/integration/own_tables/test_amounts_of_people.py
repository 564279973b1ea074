"""What people paid, spent or earned in the rows that refer to them, and which of two people "who" asks for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

FILES = {
    "instructors.csv": (
        "Instructor,Car,Hourly rate (EUR)\nPetra Holt,VW Golf,48\nSamir Aziz,Opel Corsa,44\nLotte Brandt,VW Polo,46\n"
    ),
    "learners.csv": (
        "learner_id,Name,Birthday,Licence class\nL01,Jonas Meier,2006-03-14,B\nL02,Aylin Demir,2005-11-02,A\n"
        "L03,Clara Noll,2007-07-30,B\n"
    ),
    "lessons.csv": (
        "lesson,date,learner,teacher,kind,fee,paid\n101,2024-02-01,L01,Petra Holt,town,36,yes\n"
        "102,2024-02-08,L01,Petra Holt,motorway,80,no\n103,2024-02-10,L02,Samir Aziz,town,33,yes\n"
        "104,2024-02-12,L02,Lotte Brandt,town,30,yes\n105,2024-03-12,L02,Samir Aziz,town,33,no\n"
    ),
}


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("school"), FILES, together="school")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("How much has Jonas Meier spent in total?", {"116"}),
        ("How much did Samir Aziz earn?", {"66"}),
        ("Which learner spent the most?", {"Jonas Meier"}),
        ("How much did each learner pay?", {"Jonas Meier: 116", "Aylin Demir: 96"}),
        ("How much did each teacher earn?", {"Petra Holt: 116", "Samir Aziz: 66", "Lotte Brandt: 30"}),
        ("Who taught Clara Noll?", set()),
    ],
)
def test_amounts_of_rows_that_refer_to_people(school: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in school.ask(question, keep=False).answers} == answers


def test_who_is_in_doubt_between_two_people_of_a_row(school: Hydra) -> None:
    answer = school.ask("Who has not paid?", keep=False)
    assert answer.verdict != "single-source"
    assert any("teacher or learner" in text for text in answer.unchecked)


def test_an_article_is_no_class(school: Hydra) -> None:
    assert "Aylin Demir" not in {a.name for a in school.ask("Who has not taken a lesson?", keep=False).answers}
