"""Questions in two halves: what a name leads to, and what is asked of that."""

from __future__ import annotations

import pytest

from hydra_kg.steps.joining.split_questions import halves, sought, unplaced


@pytest.mark.parametrize(
    "question, name, inner, outer, noun",
    [
        (
            "What type of government is used in the country with Hulmen Province?",
            "Hulmen Province",
            "the country with _",
            "what type of government is used in _",
            "government",
        ),
        (
            "In the country where Varelic is spoken, what money do they use?",
            "Varelic",
            "the country where _ is spoken",
            "in _ what money do they use",
            "money",
        ),
        (
            "What money is used in Hulmen Province?",
            "Hulmen Province",
            "where _ is located",
            "what money is used in _",
            "money",
        ),
    ],
)
def test_a_question_is_parted_around_its_name(question, name, inner, outer, noun):
    at = question.index(name)
    asked = halves(question, (at, at + len(name)))
    assert (asked.inner, asked.outer, sought(asked.outer)) == (inner, outer, noun)
    assert asked.meet


@pytest.mark.parametrize("question", ["Who founded Hulmen?", "What is the capital of Hulmen?"])
def test_what_is_asked_of_a_name_itself_has_one_half(question):
    at = question.index("Hulmen")
    assert not halves(question, (at, at + 6)).meet


@pytest.mark.parametrize(
    "outer, noun",
    [
        ("which other languages are spoken in _", "language"),
        ("what are the most common languages spoken in _", "language"),
        ("_ is in the nation where which languages are spoken", "language"),
        ("where was _ raised", "place"),
        ("who inspired _", "person"),
        ("when was _ built", ""),
    ],
)
def test_the_noun_for_what_is_asked_for(outer, noun):
    assert sought(outer) == noun


def test_names_that_no_graph_knows_are_found_by_quotes_and_capitals():
    question = 'Where was the author of "The long way down" born, and is Orlena Vask there?'
    assert {question[a:b] for a, b in unplaced(question, ())} == {"The long way down", "Orlena Vask"}
