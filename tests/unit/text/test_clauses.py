"""Clauses and negations of sentences in small letters."""

from __future__ import annotations

import pytest

from hydra_kg.text.clauses import (
    before_of,
    clause_end,
    clause_start,
    denies_next,
    is_denied,
    places,
    strip_possessive,
)


def test_names_are_found_word_for_word():
    assert places("the third man and the third woman", "The Third Man") == [(4, 13)]
    assert places("thirdman", "Third Man") == []
    assert places("anything", "…") == []


def test_a_clause_ends_at_a_comma_or_a_conjunction():
    text = "he sang, but she danced; they left"
    assert text[clause_start(text, 20) : clause_end(text, 20)] == " she danced"


@pytest.mark.parametrize("clause", ["he never sang", "she didn't sing", "he refused to sing", "it denied that"])
def test_negations_and_refusals_deny(clause):
    assert is_denied(clause)
    assert not is_denied("not only he sang")


def test_a_name_is_denied_by_the_words_before_it():
    assert denies_next("unlike the ")
    assert not denies_next("not far from ")


def test_possessives_and_genitives():
    assert strip_possessive("'s brother") == " brother"
    assert before_of("he saw, in may, the capital of the ").strip() == "the capital"
    assert before_of("the capital") == ""
