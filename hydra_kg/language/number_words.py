"""Read numbers in words: "seven", "twenty-five", "second", "2nd", "twice", "million"."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final, Literal

from hydra_kg.language.lexicon import lexicon_table

NumberForm = Literal["cardinal", "ordinal", "scale", "short", "times", "decade"]
_FORMS: Final[tuple[NumberForm, ...]] = ("cardinal", "ordinal", "scale", "short", "times", "decade")


@cache
def number_words(*forms: NumberForm) -> Mapping[str, int]:
    """Return the words of the given forms and their numbers; a decade is its first year ("sixties": 1960)."""
    return {
        word: 1900 + int(row[0]) if form == "decade" else int(row[0])
        for row in lexicon_table("numbers")
        for form, words in zip(_FORMS, row[1:], strict=True)
        if form in forms
        for word in words.split()
    }


def cardinal_number(word: str) -> int | None:
    """Return the number for a word in lower case ("seven", "twenty-five"), or None."""
    cardinals = number_words("cardinal")
    tens, hyphen, ones = word.partition("-")
    if not hyphen:
        return cardinals.get(word)
    whole, rest = cardinals.get(tens, 0), cardinals.get(ones, 0)
    return whole + rest if whole >= 20 and 0 < rest < 10 else None


def ordinal_number(word: str) -> int:
    """Return the position for a word in lower case ("second", "2nd"), at most 99; 0 for any other word."""
    digits = word[:-2]
    if digits.isdecimal() and len(digits) <= 2 and word[-2:] in {"st", "nd", "rd", "th"}:
        return int(digits)
    return number_words("ordinal").get(word, 0)


def ordinal(number: int) -> str:
    """Return an ordinal in digits: 1st, 2nd, 11th."""
    teen = number % 100 in {11, 12, 13}
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
