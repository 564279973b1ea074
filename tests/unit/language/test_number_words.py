"""Numbers in words: cardinals, ordinals, scales and decades."""

from __future__ import annotations

import pytest

from hydra_kg.language.number_words import cardinal_number, number_words, ordinal, ordinal_number


@pytest.mark.parametrize("word, number", [("second", 2), ("2nd", 2), ("26th", 26), ("two", 0), ("2", 0), ("100th", 0)])
def test_a_place_is_read(word, number):
    assert ordinal_number(word) == number


@pytest.mark.parametrize(
    "number, text", [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (22, "22nd"), (113, "113th")]
)
def test_a_place_is_written(number, text):
    assert ordinal(number) == text


def test_words_and_digits_say_the_same():
    assert all(
        ordinal_number(word) == ordinal_number(ordinal(number)) for word, number in number_words("ordinal").items()
    )


@pytest.mark.parametrize(
    "word, number", [("zero", 0), ("seven", 7), ("twenty-five", 25), ("five-twenty", None), ("ten-five", None)]
)
def test_a_cardinal_is_read(word, number):
    assert cardinal_number(word) == number


def test_each_form_has_its_words():
    assert number_words("scale")["dozen"] == 12
    assert number_words("decade")["sixties"] == 1960
    assert "k" not in number_words("scale")
    assert number_words("scale", "short")["k"] == 1000
    assert number_words("times") == {"once": 1, "twice": 2, "thrice": 3}
