"""Questions over the sample: dates, kinds, shared works, and what is shown without an answer."""

from __future__ import annotations

import pytest

from hydra_kg import Hydra


@pytest.mark.parametrize(
    "question, answers",
    [
        ("What is the date of Albert Einstein's death?", {"1955-04"}),
        ("In what year was Princeton established?", {"1746"}),
        ("Is Sweden a monarchy?", {"yes"}),
        ("Is Freddie Mercury still alive?", {"no"}),
        (
            "Which films did Tom Hanks and Steven Spielberg make together?",
            {"Saving Private Ryan", "Catch Me If You Can", "The Terminal"},
        ),
    ],
)
def test_answers_are_those_that_the_sources_state(sample: Hydra, question: str, answers: set[str]) -> None:
    """The place of death is no date, a university no town, and one verb means one relation for both names."""
    assert {a.name for a in sample.ask(question).answers} == answers


def test_the_beginning_of_a_band_is_when_it_was_formed(sample: Hydra) -> None:
    """No part of the question is left unchecked, so that the answer is not partial."""
    answer = sample.ask("When was Queen formed?")
    assert [a.name[:4] for a in answer.answers] == ["1970"]
    assert answer.verdict != "partial"


@pytest.mark.parametrize("question", ["When did Tom Hanks die?", "What is Tom Hanks's date of death?"])
def test_a_birth_is_no_death(sample: Hydra, question: str) -> None:
    """Of the dates of a person, only the one that is asked for answers."""
    assert not sample.ask(question).answers


def test_a_sentence_that_only_has_the_name_is_not_offered(sample: Hydra) -> None:
    """Whom somebody played is nothing about his death."""
    assert not sample.ask("When did Tom Hanks die?").perhaps


def test_an_unknown_name_is_not_ignored(sample: Hydra) -> None:
    """Where the question cannot be read whole, what leaves out one of its names is only offered."""
    answer = sample.ask("In which country was Albert Einstein with his friend Zorbland born?")
    assert not answer.answers
    assert [a.name for a in answer.perhaps] == ["Germany"]


def test_who_has_no_stated_death_is_not_called_dead(sample: Hydra) -> None:
    """The reason names what is not stated."""
    answer = sample.ask("Is Tom Hanks dead?")
    assert not answer.answers
    assert answer.missing == "no date of death is stated of Tom Hanks"
