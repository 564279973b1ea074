"""Measures are told apart by the adjectives that mean them."""

from __future__ import annotations

import pytest

from hydra_kg.language.adjectives import graded_adjectives, is_another_measure, opposite_superlative, superlative_orders


@pytest.mark.parametrize(
    "asked, said, other",
    [
        ("width", "length", True),
        ("depth", "height meters", True),
        ("weight", "top speed", True),
        ("height", "length", False),  # "short" means both
        ("price", "unit cost", False),
        ("width", "material", False),
        ("owner", "length", False),
    ],
)
def test_a_measure_is_another_one_if_no_adjective_means_both(asked: str, said: str, other: bool) -> None:
    assert is_another_measure(asked, said) is other


def test_the_table_of_adjectives_is_read():
    tall = graded_adjectives()[0]
    assert tall.forms == ("tall", "taller", "tallest")
    assert (tall.measures, tall.order, tall.kind) == (("height", "elevation"), "max", "number")


def test_superlatives_say_which_end():
    assert superlative_orders("number")["shortest"] == "min"
    assert superlative_orders("date")["oldest"] == "min"
    assert "-" not in superlative_orders("number")


@pytest.mark.parametrize(
    "word, opposite",
    [
        ("oldest", "youngest"),
        ("longest", "shortest"),
        ("shortest", "longest"),
        ("highest", "lowest"),
        ("cheapest", "costliest"),
        ("newest", "oldest"),
        ("latest", "earliest"),
        ("first", "last"),
        ("most", "least"),
        ("film", ""),
    ],
)
def test_a_superlative_has_an_opposite(word: str, opposite: str) -> None:
    assert opposite_superlative(word) == opposite
