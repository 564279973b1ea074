"""Values of a kind that a sentence names: names, dates and numbers, and whether two of them agree."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hydra_kg.extract.words import FUNCTION
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.months import MONTHS, month_number

Day = tuple[int, int, int]
"""Year, month and day; 0 for what is not given."""

_MONTH: Final = "|".join((*MONTHS, *(m[:3] for m in MONTHS)))
_DAY_FIRST: Final = re.compile(
    rf"\b(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m>{_MONTH})\.?,? (?P<y>[0-9]{{3,4}})\b"
)
_MONTH_FIRST: Final = re.compile(rf"\b(?P<m>{_MONTH})\.? (?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?, ?(?P<y>[0-9]{{3,4}})\b")
_MONTH_ONLY: Final = re.compile(rf"\b(?P<m>{_MONTH})\.?,? (?P<y>[12][0-9]{{3}})\b")
_ISO: Final = re.compile(r"\b(?P<y>[0-9]{4})(?:-(?P<m>[0-9]{2})(?:-(?P<d>[0-9]{2}))?)?\b(?![,.][0-9])")
_NUMBER: Final = re.compile(r"(?<![\w.,])[-−]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?!\w|,[0-9])")
_SCALE: Final = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_LINK: Final = r"(?:of|the|de|du|da|del|di|la|le|van|von|der|for|&)"
_NAME: Final = re.compile(
    rf"[A-ZÀ-Þ][\w'’&-]*\.?(?:(?: {_LINK} (?:the |la |der )?| )[A-ZÀ-Þ0-9][\w'’&-]*(?:\.(?= [A-Z]))?)*"
)
NEAR: Final = 0.02
"""Share by which two numbers may differ and still agree: one is rounded."""


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value that a sentence names, at its place in it."""

    text: str
    start: int
    end: int


def names_in(text: str) -> list[NamedValue]:
    """Capitalised names of a sentence, without words of the language that begin it."""
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
    """Dates of a text in their order, in words or figures: ``14 March 1879``, ``March 14, 1879``, ``1879``."""
    found: list[tuple[Day, NamedValue]] = []
    taken: list[tuple[int, int]] = []
    for pattern in (_DAY_FIRST, _MONTH_FIRST, _MONTH_ONLY, _ISO):
        for m in pattern.finditer(text):
            if any(a < m.end() and m.start() < b for a, b in taken):
                continue
            parts = m.groupdict()
            month = parts.get("m") or ""
            number = int(month) if month.isdigit() else month_number(month)
            taken.append(m.span())
            found.append(((int(parts["y"]), number, int(parts.get("d") or 0)), NamedValue(m[0], *m.span())))
    return sorted(found, key=lambda f: f[1].start)


def numbers_in(text: str) -> list[tuple[float, NamedValue]]:
    """Numbers of a text that are no years, in their order; ``2.3 million`` is one."""
    dates = [n for _, n in dates_in(text)]
    found = []
    for m in _NUMBER.finditer(text):
        if any(d.start < m.end() and m.start() < d.end for d in dates):
            continue
        after = re.match(r" ([a-z]+)", text[m.end() : m.end() + 12])
        scale = _SCALE.get(after[1], 1.0) if after else 1.0
        end = m.end() + (len(after[0]) if after and scale > 1 else 0)
        number = float(m[0].replace(",", "").replace("−", "-")) * scale
        found.append((number, NamedValue(text[m.start() : end], m.start(), end)))
    return found


def same_day(one: Day, other: Day) -> bool:
    """Whether two dates agree in all that both give."""
    return all(a == b or not a or not b for a, b in zip(one, other, strict=True))


def same_number(one: float, other: float) -> bool:
    """Whether two numbers agree, one of which may be rounded."""
    return abs(one - other) <= NEAR * max(abs(one), abs(other))
