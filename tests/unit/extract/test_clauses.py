"""Questions inside questions: which words are a clause of their own, and where that is not so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.extract.clauses import MARK, MOST, clauses

NESTED = {
    "what is the capital of the country where _ was born": ("the country where _ was born", "what is the capital of _"),
    "where was the wife of _ born": ("the wife of _", "where was _ born"),
    "where was _ s first wife born": ("_ s first wife", "where was _ born"),
    "what college did _ s father attend": ("_ s father", "what college did _ attend"),
    "what is the currency of the country that _ comes from": (
        "the country that _ comes from",
        "what is the currency of _",
    ),
    "where was the actor who played _ born": ("the actor who played _", "where was _ born"),
    "who directed the films starring _": ("the films starring _", "who directed _"),
    "the country with the national anthem _ uses what currency": (
        "the country with the national anthem _",
        "_ uses what currency",
    ),
    "what sport does the team that _ plays for play": ("the team that _ plays for", "what sport does _ play"),
    "what currency does the country _ is located in use": ("the country _ is located in", "what currency does _ use"),
    "where was the wife of the man who directed _ born": (
        "the man who directed _",
        "the wife of _",
        "where was _ born",
    ),
}


@pytest.mark.parametrize("question", NESTED)
def test_each_clause_is_about_what_the_one_before_yields(question):
    assert tuple(c.text for c in clauses(question)) == NESTED[question]


@pytest.mark.parametrize(
    "question, nouns",
    [
        ("what is the capital of the country where _ was born", ("country", "")),
        ("where was _ s first wife born", ("wife", "")),
        ("where was the wife of the man who directed _ born", ("man", "wife", "")),
    ],
)
def test_a_clause_says_what_it_yields(question, nouns):
    assert tuple(c.noun for c in clauses(question)) == nouns


@pytest.mark.parametrize(
    "question",
    [
        "where was _ born",
        "who is the wife of _",
        "what is the name of _ s wife",
        "who is the person who founded _",
        "where is the headquarters of _ located",
        "what kind of government does the country of _ have",
        "who played the role of _ in _",
        "which actor who played _ was born in _",
        "what team did _ play for",
        "who founded it",
        "",
        "_",
    ],
)
def test_one_question_is_not_split(question):
    assert clauses(question) == ()


WORDS = "_ s the of in a country wife team that who where which was is did born plays directed by with what _".split()


@given(st.lists(st.sampled_from(WORDS), max_size=12))
def test_no_word_is_lost_or_doubled(words):
    found = clauses(" ".join(words))
    parts = [c.text.split() for c in found]
    assert len(found) != 1
    assert len(found) <= MOST
    assert all(MARK in p for p in parts)
    if found:
        assert sorted([w for p in parts for w in p]) == sorted([*words, *[MARK] * (len(found) - 1)])
