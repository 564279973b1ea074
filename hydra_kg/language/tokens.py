"""Tokens of a sentence with their stems, so that "founded" and "founding" are one verb."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hydra_kg.language.morphology import stem
from hydra_kg.text.folding import fold

_TOKEN: Final = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+(?:[-'’./][^\W_]+)*(?:(?<=\b[A-Z])\.)?|[^\w\s]|_")
_IDENTIFIER_WORD: Final = re.compile(r"[^\W_]+")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z]\w)|(?<=[A-Z])(?=[A-Z][a-z])")
_POSSESSIVE: Final = re.compile(r"['’]s$|(?<=s)['’]$")


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


def split_identifier(text: str) -> list[str]:
    """Return the folded words of a label or an identifier: ``hasProductManager`` → has product manager."""
    return [folded for word in _IDENTIFIER_WORD.findall(_CAMEL.sub(" ", text)) if (folded := fold(word))]
