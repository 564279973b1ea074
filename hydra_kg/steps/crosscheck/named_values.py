"""Values of a kind that a sentence names: names, dates and numbers, and whether two of them agree."""

from __future__ import annotations

import re
from typing import Final

from hydra_kg.extract.word_classes import FUNCTION
from hydra_kg.language.dates import Day, month_number, read_date
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.number_words import number_words
from hydra_kg.language.tokens import MARKS, Splitter, number_pattern
from hydra_kg.util.fast_dataclass import dataclass

_split: Final = Splitter(numbers=number_pattern(), marks=MARKS)
_NUMBER: Final = re.compile(r"(?<![\w.,])[-−]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?!\w|,[0-9])")
_LINK: Final = r"(?:of|the|de|du|da|del|di|la|le|van|von|der|for|&)"
_NAME: Final = re.compile(
    rf"[A-ZÀ-Þ][\w'’&-]*\.?(?:(?: {_LINK} (?:the |la |der )?| )[A-ZÀ-Þ0-9][\w'’&-]*(?:\.(?= [A-Z]))?)*"
)
NEAR: Final = 0.02
"""Share by which two numbers may differ and still agree: one is rounded."""


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value that a sentence names, with its place in it."""

    text: str
    start: int
    end: int


def names_in(text: str) -> list[NamedValue]:
    """Return the capitalised names of a sentence, without words of the language that begin it."""
    found = []
    for m in _NAME.finditer(text):
        start, words = m.start(), m[0].split(" ")
        while words and words[0].casefold() in _COMMON:
            start += len(words.pop(0)) + 1
        name = " ".join(words)
        for ending in ("'s", "’s", "."):
            name = name.removesuffix(ending)
        if len(name) > 1 and not name[0].isdigit() and name[0].isupper() and month_number(name) == 0:
            found.append(NamedValue(name, start, start + len(name)))
    return found


_COMMON: Final = FUNCTION | list_words("subordination each opening_adverb")


def dates_in(text: str) -> list[tuple[Day, NamedValue]]:
    """Return the dates of a text in their order: ``14 March 1879``, ``March 14, 1879``, ``1879-03-14``, ``1879``."""
    parts = _split(text)
    words = [w.text.casefold() if w.text[0].isupper() or not month_number(w.text) else "" for w in parts]
    found, at = [], 0
    while at < len(words):
        if (date := read_date(words, at)) is None:
            at += 1
            continue
        start, end = parts[at].start, parts[date[1] - 1].full
        found.append((date[0], NamedValue(text[start:end], start, end)))
        at = date[1]
    return found


def numbers_in(text: str) -> list[tuple[float, NamedValue]]:
    """Return the numbers of a text that are no years, in their order; ``2.3 million`` is one."""
    dates = [n for _, n in dates_in(text)]
    found = []
    for m in _NUMBER.finditer(text):
        if any(d.start < m.end() and m.start() < d.end for d in dates):
            continue
        after = re.match(r" ([a-z]+)", text[m.end() : m.end() + 12])
        scale = number_words("scale").get(after[1], 1) if after else 1
        end = m.end() + (len(after[0]) if after and scale > 1 else 0)
        number = float(m[0].replace(",", "").replace("−", "-")) * scale
        found.append((number, NamedValue(text[m.start() : end], m.start(), end)))
    return found


def same_day(one: Day, other: Day) -> bool:
    """Return True if two dates agree in all parts that both have."""
    return all(a == b or not a or not b for a, b in zip(one, other, strict=True))


def same_number(one: float, other: float) -> bool:
    """Return True if two numbers agree, one of which may be rounded."""
    return abs(one - other) <= NEAR * max(abs(one), abs(other))
