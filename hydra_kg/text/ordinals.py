"""Ordinal numbers in English: "second" and "2nd" are 2, and 2 is written "2nd"."""

from __future__ import annotations

import re
from typing import Final

_WORDS: Final = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    " sixteenth seventeenth eighteenth nineteenth twentieth"
)
ORDINALS: Final = {word: number for number, word in enumerate(_WORDS.split(), 1)}
"""Those that are written as one word."""

_DIGITS: Final = re.compile(r"(\d{1,2})(?:st|nd|rd|th)")


def ordinal_number(word: str) -> int:
    """Which place a word in small letters says, of one hundred at most; 0 for any other word."""
    m = _DIGITS.fullmatch(word)
    return int(m[1]) if m else ORDINALS.get(word, 0)


def ordinal(number: int) -> str:
    """A place in digits: 1st, 2nd, 11th."""
    teen = number % 100 in {11, 12, 13}
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
