"""Read dates and periods in words.

Examples: "4 July 1946", "June 1990", "the 1960s", "the last quarter of 2023", "1990-06-02".
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from typing import Final

from dateutil.parser import parserinfo

from hydra_kg.language.lexicon import list_words
from hydra_kg.language.number_words import number_words, ordinal_number
from hydra_kg.language.tokens import Splitter, number_pattern
from hydra_kg.util.fast_dataclass import dataclass

Day = tuple[int, int, int]
"""Year, month and day; 0 for a part that is not given."""

_YEAR: Final = re.compile(r"1\d{3}|2[01]\d\d")
_DECADE: Final = re.compile(r"((?:1\d|20)\d0)s")
_ISO: Final = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?")
_DAY: Final = re.compile(r"(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?")
_MONTHS_OF: Final = {"half": 6, "quarter": 3}
_WITHIN: Final = frozenset({"in", "during", "throughout"})
_CLOCK: Final = re.compile(r"\b\d{1,2}:\d\d\b")
_split: Final = Splitter(numbers=number_pattern())
_NO_WORDS: Final = ("",) * 8


@dataclass(frozen=True, slots=True)
class Period:
    """The days from ``first`` to ``last`` that the words from ``start`` to before ``end`` name."""

    start: int
    end: int
    first: Day
    last: Day

    @property
    def year(self) -> bool:
        """Return whether the period consists of whole years, so that years can be compared with it."""
        return self.first[1:] == (1, 1) and self.last[1:] == (12, 31)

    @property
    def low(self) -> float:
        """Return the first day as a number."""
        return day_number(self.first)

    @property
    def high(self) -> float:
        """Return the last day as a number."""
        return day_number(self.last)

    @property
    def after(self) -> float:
        """Return the number of the first moment after the last day."""
        year, month, day = self.last
        return year + month / 12 if day == monthrange(year, month)[1] else day_number((year, month, day + 1))


def day_number(day: Day) -> float:
    """Return a day as a year with a fraction. A missing month or day counts as the first."""
    return day[0] + (max(1, day[1]) - 1) / 12 + (max(1, day[2]) - 1) / 372


def read_date(words: Sequence[str], at: int = 0, *, yearless: bool = False) -> tuple[Day, int] | None:
    """Return the day, month or year that begins at a word, and where it ends.

    Args:
        words: words in lower case; commas may be words.
        at: position of the first word.
        yearless: whether a day and a month are enough; the year is then 0.
    """
    some = [*words[at : at + len(_NO_WORDS)], *_NO_WORDS]
    if m := _ISO.fullmatch(some[0]):
        return _valid((int(m[1]), int(m[2]), int(m[3] or 0)), at + 1)
    day, k = 0, 0
    if (m := _DAY.fullmatch(some[0])) and month_number(some[n := 1 + (some[1] == "of")]):
        day, k = int(m[1]), n
    if month := month_number(some[k]):
        k += 1 + (some[k + 1] == ".")
        if not day and (m := _DAY.fullmatch(some[n := k + (some[k] == "the")])):
            day, k = int(m[1]), n + 1
        n = k + (some[k] in (",", "of"))
        if _YEAR.fullmatch(some[n]):
            return _valid((int(some[n]), month, day), at + n + 1)
        return _valid((0, month, day), at + k) if yearless and day else None
    return ((int(some[0]), 0, 0), at + 1) if _YEAR.fullmatch(some[0]) else None


def _valid(day: Day, end: int) -> tuple[Day, int] | None:
    return (day, end) if 1 <= day[1] <= 12 and day[2] <= monthrange(day[0] or 2000, day[1])[1] else None


def read_period(words: Sequence[str], start: int = 0) -> Period | None:
    """Return the longest period that begins at a word: a date, a decade, a century, part of a year, several months."""
    at = start + (words[start : start + 1] == ["the"])
    is_year = words[at : at + 1] == ["year"]  # the year 1986
    at += is_year
    some = [*words[at : at + len(_NO_WORDS)], *_NO_WORDS]
    if decade := int(m[1]) if (m := _DECADE.fullmatch(some[0])) else number_words("decade").get(some[0], 0):
        return _years(start, at + 1, decade, 10)
    if (century := ordinal_number(some[0])) and some[1] in ("century", "centuries"):
        return _years(start, at + 2, 100 * century - 99, 100)
    if (part := _part(some)) is not None:
        size, number, n = part
        year = int(some[n])
        return months_of(start, at + n + 1, year, size * (number - 1) + 1, size * number)
    if (
        some[0] in ("between", "from")
        and (first := month_number(some[1]))
        and some[2] in ("and", "to", "until")
        and (last := read_date(words, at + 3)) is not None
        and first <= last[0][1]
        and not last[0][2]
    ):
        return months_of(start, last[1], last[0][0], first, last[0][1])
    found = read_date(words, at)
    if found is None or (is_year and found[0][1]) or (at > start and not is_year and not found[0][2]):
        return None  # the 1986 film
    day, end = found
    if day[2]:
        return Period(start, end, day, day)
    return months_of(start, end, day[0], day[1], day[1]) if day[1] else _years(start, end, day[0], 1)


def find_periods(words: Sequence[str]) -> Iterator[Period]:
    """Yield all periods in some words; they may overlap.

    A year alone counts only after "in" or "during", or as an alternative to such a year: "in 1911 or 1921".
    """
    years: set[int] = set()
    for start in range(len(words)):
        found = read_period(words, start)
        if found is not None and _YEAR.fullmatch(words[start]):
            if (words[start - 1 : start] == ["or"] and start - 2 in years) or (start and words[start - 1] in _WITHIN):
                years.add(start)
            else:
                continue
        if found is not None:
            yield found


def find_days_of_years(words: Sequence[str]) -> Iterator[Period]:
    """Yield the days and, after "in", the months that have no year ("2 April", "in April"), as those of year 1."""
    months: set[int] = set()
    for start in range(len(words)):
        if read_period(words, start) is not None:
            continue
        day = read_date(words, start, yearless=True)
        if day is not None and not day[0][0]:
            yield Period(start, day[1], (1, *day[0][1:]), (1, *day[0][1:]))
            continue
        follows = words[start - 1 : start] == ["in"] or (words[start - 1 : start] == ["or"] and start - 2 in months)
        if follows and (month := month_number(words[start])):
            months.add(start)
            yield months_of(start, start + 1, 1, month, month)


def names_time(text: str) -> bool:
    """Return True if a text names a date, a period, a month, a day of the week, or a time of day."""
    words = [w.text.casefold() for w in _split(text)]
    known = any(month_number(w) or w in list_words("weekday") for w in words)
    return known or _CLOCK.search(text) is not None or any(read_period(words, k) for k in range(len(words)))


def _part(some: Sequence[str]) -> tuple[int, int, int] | None:
    """Return the months of a half or a quarter, its number, and the position of its year."""
    size = _MONTHS_OF.get(some[1], 0) if some[2] == "of" else 0
    number = 12 // size if size and some[0] == "last" else ordinal_number(some[0]) if size else 0
    if not size and some[0][:1] == "q" and some[0][1:].isdecimal():
        size, number = 3, int(some[0][1:])
    n = 3 if some[2] == "of" and some[1] in _MONTHS_OF else 1 + (some[1] == "of")
    return (size, number, n) if size and 1 <= number <= 12 // size and _YEAR.fullmatch(some[n]) else None


def _years(start: int, end: int, year: int, count: int) -> Period:
    return Period(start, end, (year, 1, 1), (year + count - 1, 12, 31))


def months_of(start: int, end: int, year: int, first: int, last: int) -> Period:
    """Return the days from the first to the last of some months of a year."""
    return Period(start, end, (year, first, 1), (year, last, monthrange(year, last)[1]))


MONTHS: Final = tuple(names[-1] for names in parserinfo.MONTHS)
"""January to December."""

_NUMBERS: Final = {name.casefold(): n for n, names in enumerate(parserinfo.MONTHS, 1) for name in names}


def month_number(word: str) -> int:
    """Return 1 to 12 for the name of a month or its abbreviation, in any case; 0 for any other word."""
    return _NUMBERS.get(word.casefold(), 0)


def abbreviate_time(word: str) -> str:
    """Return the first three letters of a month or a day of the week in lower case, "" for any other word."""
    return word[:3] if word in list_words("weekday") or month_number(word) else ""
