"""What people taught is put into questions by words, not by letters, says who taught it, and can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from hydra_kg.curation.teachings import LETTERS, Teachings
from hydra_kg.errors import NotFoundError, UsageError


@pytest.fixture
def teachings(tmp_path: Path) -> Teachings:
    return Teachings(tmp_path / "teachings.sqlite")


def test_words_are_read_as_taught_in_every_inflection_and_case(teachings: Teachings):
    teachings.teach("turnover", "revenue", author="Ana")
    assert teachings.read("What was the Turnover of Acme?").text == "What was the revenue of Acme?"
    assert teachings.read("Compare the turnovers.").text == "Compare the revenue."
    (used,) = teachings.read("turnover?").used
    assert used.note.startswith("“turnover” was understood as “revenue” (taught by Ana on 20")


def test_parts_of_words_and_quoted_names_stay(teachings: Teachings):
    teachings.teach("art", "painting")
    for question in ("What is the part number of article 5?", 'Who wrote "Art"?'):
        assert teachings.read(question).text == question
        assert not teachings.read(question).used


def test_the_longest_phrase_counts_and_a_meaning_is_not_read_again(teachings: Teachings):
    teachings.teach("turnover", "revenue")
    teachings.teach("net turnover", "turnover after tax")
    assert teachings.read("the net turnover and the turnover").text == "the turnover after tax and the revenue"


def test_a_name_that_was_pinned_keeps_its_meaning(teachings: Teachings):
    teachings.teach("the big apple", "Q60", entity=True)
    teachings.teach("turnover", "revenue")
    found = teachings.read("What turnover has The Big Apple?", pinned=["the big apple"])
    assert (found.text, found.topics) == ("What revenue has The Big Apple?", ())


def test_an_entity_is_given_as_topic_of_its_words(teachings: Teachings):
    teachings.teach("the big apple", "Q60", entity=True)
    found = teachings.read("Who leads The Big Apple today?")
    assert (found.text, found.topics) == ("Who leads The Big Apple today?", ("The Big Apple=Q60",))


def test_a_phrase_taught_again_changes_its_meaning_and_undone_it_has_none(teachings: Teachings):
    teachings.teach("turnover", "revenue")
    new = teachings.teach("Turnovers", "sales")
    assert [one.meaning for one in teachings.all()] == ["sales"]
    assert teachings.undo(new.number) == new
    assert teachings.read("turnover").text == "turnover"
    with pytest.raises(NotFoundError):
        teachings.undo(new.number)


@pytest.mark.parametrize(
    "phrase, meaning",
    [("", "revenue"), ("?!", "revenue"), ("turnover", " "), ("a" * (LETTERS + 1), "b"), ("a", "A")],
)
def test_what_teaches_nothing_is_refused(teachings: Teachings, phrase: str, meaning: str):
    with pytest.raises(UsageError):
        teachings.teach(phrase, meaning)
    assert teachings.all() == []


def test_a_formula_without_its_sign_is_no_words(teachings: Teachings):
    with pytest.raises(UsageError, match="begins with =") as refused:
        teachings.teach("margin", "(price - cost) / price")
    assert '"= (price - cost) / price"' in str(refused.value.remedy)
