"""Days, months, halves, quarters and years of a question as stretches of time."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hydra_kg.language.months import MONTHS, month_number
from hydra_kg.language.numbers import number_words, ordinal
from hydra_kg.steps.own_graphs.own_graph import number

_NAMES: Final = "|".join(sorted({n for m in MONTHS for n in (m.casefold(), m[:3].casefold())} | {"sept"}, reverse=True))
_YEAR: Final = r"(?:1[0-9]|20|21)\d\d"
_DAY: Final = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_QUARTERS: Final = {said: n for word, n in number_words("ordinal").items() if n <= 4 for said in (word, ordinal(n))}
_PATTERNS: Final = tuple(
    (sort, re.compile(rf"(?<!\S)(?:{pattern})(?!\S)"))
    for sort, pattern in (
        ("months", rf"(?:between|from) (?P<a>{_NAMES}) (?:and|to|until) (?P<b>{_NAMES})(?: of)? (?P<y>{_YEAR})"),
        ("part", rf"(?:the )?(?P<n>{'|'.join(_QUARTERS)}|last) (?P<of>half|quarter) of (?P<y>{_YEAR})"),
        ("part", rf"q(?P<n>[1-4])(?: of)? (?P<y>{_YEAR})"),
        ("day", rf"(?:the )?(?P<d>{_DAY})(?: of)? (?P<a>{_NAMES})(?: of)? (?P<y>{_YEAR})"),
        ("day", rf"(?P<a>{_NAMES})(?: the)? (?P<d>{_DAY}) (?P<y>{_YEAR})"),
        ("months", rf"(?P<a>{_NAMES})(?: of)? (?P<y>{_YEAR})"),
        ("written", r"\d{4}-\d\d(?:-\d\d)?"),
        ("year", rf"{_YEAR}"),
    )
)


@dataclass(frozen=True, slots=True)
class Period:
    """Words ``start`` to ``end`` are the days from ``low`` to ``high``, both as the numbers that dates are."""

    start: int
    end: int
    low: float
    high: float
    year: bool
    """Whether it is a whole year, with which years can be compared as well."""


def periods(lows: Sequence[str]) -> Iterator[Period]:
    """All stretches of words that are a stretch of time; they may overlap. A year alone is one only behind "in" …"""
    text, places, at = " ".join(lows), {}, 0
    for n, low in enumerate(lows):
        places[at] = n
        at += len(low) + 1
    ends = {begin + len(lows[n]): n + 1 for begin, n in places.items()}
    for sort, pattern in _PATTERNS:
        for begin, first in places.items():
            m = pattern.match(text, begin)
            if m is None or m.end() not in ends:
                continue
            if sort == "year" and (first == 0 or lows[first - 1] not in ("in", "during", "throughout")):
                continue
            if (bounds := _bounds(sort, m)) is not None:
                yield Period(first, ends[m.end()], *bounds, sort == "year")


def _bounds(sort: str, m: re.Match[str]) -> tuple[float, float] | None:
    """The first and the last day of what a pattern matched, as numbers; None for a day that is none."""
    if sort == "year":
        return _day(int(m[0]), 1, 1), _day(int(m[0]), 12, 31)
    if sort == "written":
        parts = [int(p) for p in m[0].split("-")]
        year, first, last, day = parts[0], parts[1], parts[1], parts[2] if len(parts) > 2 else 0
    else:
        year, first, last, day = int(m["y"]), 1, 12, 0
    if sort == "months":
        first = month_number(m["a"])
        last = month_number(m["b"]) if "b" in m.re.groupindex else first
    elif sort == "day":
        first = last = month_number(m["a"])
        day = int(re.sub(r"\D", "", m["d"]))
    elif sort == "part":
        size = 6 if "of" in m.re.groupindex and m["of"] == "half" else 3
        part = int(m["n"]) if m["n"].isdigit() else _QUARTERS.get(m["n"], 12 // size)
        first, last = size * (part - 1) + 1, size * part
    if not 1 <= first <= last <= 12 or day > calendar.monthrange(year, last)[1]:
        return None
    return _day(year, first, day or 1), _day(year, last, day or calendar.monthrange(year, last)[1])


def _day(year: int, month: int, day: int) -> float:
    return number(f"{year}-{month:02d}-{day:02d}")
