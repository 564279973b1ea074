"""Read how exactly a sentence gives a date or number: its unit, its rounding, and which end of a lifespan it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal

from hydra_kg.language.dates import Day
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.units import unit_factors
from hydra_kg.steps.crosscheck.named_values import NamedValue, dates_in, names_in, same_number

Role = Literal["start", "end", ""]
"""Which end of what lasts a date is: birth and founding, or death and closing."""

Unit = tuple[str, float]
"""Dimension, and how many of its base units one is."""

_START: Final = re.compile(r"\b(?:birth|born|founded|founding|established|formed|inception|opened|created)\b")
_END: Final = re.compile(
    r"\b(?:death|died?|dissolved?|abolished|closed?|disband(?:ed)?|demolished|end(?:ed)?|cease[ds]?|collapsed?)\b"
)
_VAGUE_BEFORE: Final = re.compile(
    r"(?:\bc\.?|\bca\.?|\bcirca|\babout|\baround|\bperhaps|\bprobably|\bpossibly|\bbetween|\bbefore|\bafter|\bsince|\buntil"
    r"|\btill|\bby|\bfrom|\bor|\bto|\bearly|\blate|\bmid|[-–—/]|\band) ?$"
)
_VAGUE_AFTER: Final = re.compile(r" ?(?:\?|s\b|['’]s\b|(?:or|to) [12][0-9]{3}\b|[-–—/] ?[0-9])")
_LIFE: Final = re.compile(r" ?\(([^()]{4,120})\)")
_DASH: Final = re.compile(r"\s*(?:[-–—]|to)\s*(?:died |d\. ?)?$")
_UNIT: Final = re.compile(r"[ -]?(?:(square|sq\.?) )?([a-z]+²?)\b\.?", re.IGNORECASE)
_COUNTED: Final = re.compile(r"\b(?:census|estimate[ds]?|as of|at the time|then)\b")
_PLACE: Final = re.compile(r"(?:\b(?:in|at|near)(?: the)?|,) ?$")
_OF_OTHERS: Final = re.compile(r"\W*(?:his|her|their)\b(?! (?:birth|death|founding)\b)")
_PART: Final = re.compile(r"(?:;|\band\b|\bbut\b|\bwhere\b|\bwhen\b|\bwhile\b)")
_WORDLESS: Final = list_words("unit_letter")  # more often a word than a unit


def role_of(wordings: Iterable[str]) -> Role:
    """Return which end of a period the words of a relation are about."""
    low = " ".join(wordings).lower()
    return "start" if _START.search(low) else "end" if _END.search(low) else ""


def lifespan(text: str, end: int) -> tuple[tuple[Day, NamedValue], tuple[Day, NamedValue]] | None:
    """Return the two dates in brackets right after a name that ends at a place: "(14 March 1911 – 2 May 1987)"."""
    m = _LIFE.match(text, end)
    found = dates_in(m[0]) if m is not None else []
    if m is None or len(found) != 2 or not _DASH.search(m[0][found[0][1].end : found[1][1].start]):
        return None
    (first, a), (last, b) = ((d, NamedValue(n.text, n.start + end, n.end + end)) for d, n in found)
    return (first, a), (last, b)


def vague(text: str, named: NamedValue) -> bool:
    """Return True if a date is rounded or one of several: "c. 1913", "between 1908 and 1913", "1910s"."""
    before = text[max(0, named.start - 12) : named.start].lower()
    return _VAGUE_BEFORE.search(before) is not None or _VAGUE_AFTER.match(text, named.end) is not None


def counted_once(text: str) -> bool:
    """Return True if a number is of a time: a count of a year, a census."""
    return bool(dates_in(text)) or _COUNTED.search(text.lower()) is not None


def unit_after(text: str, end: int) -> Unit | None:
    """Return the unit after a number, if it is known."""
    m = _UNIT.match(text, end)
    if m is None or m[2].lower() in _WORDLESS:
        return None
    word = m[2].lower()
    unit = unit_factors().get(word) or unit_factors().get(word.removesuffix("s"))
    if unit is None or not m[1]:
        return unit
    return (f"{unit[0]}2", unit[1] ** 2)


def same_amount(number: float, unit: Unit | None, stored: float) -> bool:
    """Return True if a number of a text is the stored one.

    If it has a unit, the stored number may be in any unit of the same kind.
    """
    if unit is None:
        return same_number(number, stored)
    alike = {factor for dimension, factor in unit_factors().values() if dimension == unit[0]} | {unit[1], 1.0}
    return any(same_number(number * unit[1], stored * factor) for factor in alike)


def of_another(low: str) -> bool:
    """Return True if a flat sentence begins with something of the subject's: "Her mother was born …"."""
    return _OF_OTHERS.match(low) is not None


def said_before(text: str, start: int, end: int) -> str:
    """Return the words that lead from ``start`` to a value at ``end``, within the sentence, without place names."""
    part = _PART.split(text[start:end])[-1]
    for n in reversed(names_in(part)):
        part = f"{part[: n.start].rstrip().removesuffix(' in').removesuffix(' at')} {part[n.end :]}"
    return " ".join(part.split()).strip(" ,;:(")


def others_between(text: str, start: int, end: int) -> bool:
    """Return True if another possible subject is between two places; a location is none."""
    return any(not _PLACE.search(f"{text[start : start + n.start].rstrip()} ") for n in names_in(text[start:end]))


def in_longer_name(text: str, start: int) -> bool:
    """Return True if what starts at a place is the end of a longer name: "Ulla Vask", of Vask."""
    return any(n.start < start < n.end for n in names_in(text))
