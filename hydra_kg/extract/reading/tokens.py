"""Tokens of a sentence with their stems, so that "founded" and "founding" are one verb."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from hydra_kg.util.package_data import table

_TOKEN: Final = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+(?:[-'’./][^\W_]+)*(?:(?<=\b[A-Z])\.)?|[^\w\s]|_")
_POSSESSIVE: Final = re.compile(r"['’]s$|(?<=s)['’]$")
_DOUBLED: Final = frozenset("bb dd gg mm nn pp rr tt".split())
_SHORT: Final = 4  # letters of a word that is too short to have lost a suffix


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a mark: its text, its characters of the sentence, in lower case, and its stem."""

    text: str
    start: int
    end: int
    low: str
    stem: str

    @property
    def word(self) -> bool:
        """Whether it is a word or a number rather than a mark."""
        return self.text[0].isalnum()

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital letter, or has one behind a small letter ("iPhone", not "pre-Roman")."""
        inside = zip(self.text, self.text[1:], strict=False)
        return self.text[0].isupper() or any(a.islower() and b.isupper() for a, b in inside)


def tokenise(text: str) -> list[Token]:
    """The tokens of a sentence; a possessive ending is a token of its own."""
    found = []
    for m in _TOKEN.finditer(text):
        word, start = m[0], m.start()
        if p := _POSSESSIVE.search(word):
            found.append(_token(word[: p.start()], start))
            found.append(_token("'s", start + p.start(), len(word) - p.start()))
        else:
            found.append(_token(word, start))
    return found


def _token(word: str, start: int, length: int = 0) -> Token:
    low = word.lower()
    return Token(word, start, start + (length or len(word)), low, stem(low))


@lru_cache(maxsize=1 << 15)
def stem(low: str) -> str:
    """The stem of a word in lower case: without the endings of verbs and plurals, and without a final e."""
    if (known := _irregular().get(low)) is not None:
        return known.removesuffix("e") if len(known) >= _SHORT else known
    if len(low) < _SHORT or not low.isalpha():
        return low
    for ending, instead in (("ies", "y"), ("ied", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh")):
        if low.endswith(ending) and len(low) > len(ending) + 1:
            return low[: -len(ending)] + instead
    for ending in ("ing", "ed"):
        if low.endswith(ending) and len(low) > len(ending) + 2:
            short = low[: -len(ending)]
            if not set(short) & set("aeiouy"):
                return low
            return short[:-1] if short[-2:] in _DOUBLED else short.removesuffix("e")
    if low.endswith("s") and not low.endswith(("ss", "us", "is")):
        low = low[:-1]
    return low.removesuffix("e") if len(low) >= _SHORT else low


@cache
def _irregular() -> Mapping[str, str]:
    return dict(table("hydra_kg.extract.reading", "irregular.tsv"))
