"""The kind of an attribute's values, guessed from a sample of them and never from the attribute's name."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final

from hydra_kg.fusion.normalisation.dates import code, isbn, moment, number
from hydra_kg.fusion.normalisation.hierarchy import Hierarchy
from hydra_kg.fusion.normalisation.person_names import people, tokens_of
from hydra_kg.text.folding import fold

SAMPLE = 2000
NOTHING: Final = frozenset(
    "unknown none null nan na n a not available unavailable not specified not applicable tbd tba undefined".split()
) | frozenset(("n a", "not available", "not specified", "not applicable", "not given", "not known", "no data"))
# Small words of titles and descriptions: names of people hold none of them.
_PROSE: Final = frozenset("of the a an in on for to at from is with as its science fiction".split())


class ValueKind(Enum):
    """Way in which the values of an attribute are compared."""

    TIME = "time"
    CODE = "code"
    BOOK = "isbn"
    NUMBER = "number"
    PLACE = "place"
    PEOPLE = "people"
    TEXT = "text"


def says_nothing(text: str) -> bool:
    """Return True if a value is a placeholder for a missing one: blank, dashes, "Not available"."""
    folded = fold(text)
    return folded in NOTHING or not any(c.isalnum() for c in folded)


def kind_of(values: Iterable[str], hierarchy: Hierarchy | None = None) -> ValueKind:
    """Return the kind of most values, the strictest first.

    Half of the values must be places, or seven of ten people, for these kinds.
    """
    sample = [v for _, v in zip(range(SAMPLE), values, strict=False) if not says_nothing(v)]
    if not sample:
        return ValueKind.TEXT

    def share(test: object) -> float:
        return sum(map(bool, map(test, sample))) / len(sample)  # type: ignore[call-overload]

    if hierarchy and share(lambda v: fold(v) in hierarchy.nodes) >= 0.5:
        return ValueKind.PLACE
    if share(isbn) >= 0.8:
        return ValueKind.BOOK
    numbers = share(number) >= 0.8 and share(lambda v: v.strip()[:1].isdigit()) >= 0.5 and share(_is_number) >= 0.8
    if numbers and share(_is_day) < 0.5:
        return ValueKind.NUMBER
    if share(lambda v: moment(v).known) >= 0.7:
        return ValueKind.TIME
    if share(lambda v: code(v) and len(v.split()) <= 4) >= 0.7:
        return ValueKind.CODE
    return ValueKind.PEOPLE if share(_are_people) >= 0.7 else ValueKind.TEXT


def _is_number(value: str) -> bool:
    """Return True if a value is a number whose unit is known or a word; the gate ``16B`` is not."""
    read = number(value)
    return read is not None and (not read[1] or len(read[1]) > 1)


def _is_day(value: str) -> bool:
    """Return True if a value is a day of a year; ``14 November 1991`` could also be read as fourteen of something."""
    read = moment(value)
    return read.day >= 0 and read.year >= 0


def _are_people(value: str) -> bool:
    names, _ = people(value)
    words = [tokens_of(name) for name in names]
    plain = all(not (_PROSE & set(w)) and not any(c.isdigit() for word in w for c in word) for w in words)
    return bool(words) and plain and any(2 <= len(w) <= 4 for w in words)
