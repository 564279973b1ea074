"""Ordinals are read as words and digits, and written in digits."""

from __future__ import annotations

import pytest

from hydra_kg.text.ordinals import ORDINALS, ordinal, ordinal_number


@pytest.mark.parametrize("word, number", [("second", 2), ("2nd", 2), ("26th", 26), ("two", 0), ("2", 0), ("100th", 0)])
def test_a_place_is_read(word, number):
    assert ordinal_number(word) == number


@pytest.mark.parametrize(
    "number, text", [(1, "1st"), (2, "2nd"), (3, "3rd"), (11, "11th"), (22, "22nd"), (113, "113th")]
)
def test_a_place_is_written(number, text):
    assert ordinal(number) == text


def test_words_and_digits_say_the_same():
    assert all(ordinal_number(word) == ordinal_number(ordinal(number)) for word, number in ORDINALS.items())
