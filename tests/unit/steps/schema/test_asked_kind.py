"""What "when" and "who" ask for is told from what a reading found."""

from __future__ import annotations

import pytest

from hydra_kg.domain import AnswerValue, Node
from hydra_kg.steps.schema.answer_class import is_asked_kind
from hydra_kg.steps.schema.question_words import asked


@pytest.mark.parametrize(
    "question, answer, fits",
    [
        ("When did Kennedy start?", "2", False),  # the number of the row
        ("When was nettle released?", "1.4.2", False),
        ("When was Gus Larkin born?", "n/a", False),
        ("When did Kennedy start?", "1961-01-20", True),
        ("When was the film released?", "1972", True),
        ("When does the trip leave?", "06:30:00", True),
        ("When is the market open?", "Saturday", True),
        ("When did Tola start?", "Tuesday", False),  # the day of her club, which comes back each week
        ("Where does Tola teach?", "40", False),
        ("Where does Tola teach?", "R12", True),
        ("Who teaches History?", "7b", False),
        ("Who makes it?", "Studio 54", True),
        ("Who wrote it?", "00530046", False),
        ("Who wrote it?", "Ada Lund", True),
        ("Give the average pay of players who are tall", "12", True),
        ("What is the id of Aurora?", "7", True),
    ],
)
def test_an_answer_is_of_the_kind_asked_for(question: str, answer: str, fits: bool) -> None:
    assert is_asked_kind(asked(question), [AnswerValue(answer)]) is fits


def test_a_thing_is_no_measure() -> None:
    node = Node(1, "e:1", "Ida Lund")
    assert not is_asked_kind(asked("How old is Bo Rask?"), [AnswerValue("Ida Lund", node)])
    assert is_asked_kind(asked("How many people does Bo sponsor?"), [AnswerValue("Ida Lund", node)])


def test_one_time_among_several_answers_is_enough() -> None:
    assert is_asked_kind(asked("When did she join?"), [AnswerValue("n/a"), AnswerValue("2021-03-04")])
