"""Literals as intervals: a partial date covers all days it may mean, a number is a point."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hydra_kg.plan.model import Condition, ValueKind
from hydra_kg.text.literals import literal_kind, literal_text

DAY: Final = 1 / 372
MONTH: Final = 1 / 12

_NUMBER: Final = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d+)?")
_DATE: Final = re.compile(r"(-?\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:T.*)?Z?")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The interval from ``low`` to ``high``; ``high`` is excluded unless both are equal."""

    low: float
    high: float

    @property
    def exact(self) -> bool:
        """Return True if it is one point, or one day of a year."""
        return self.high - self.low < 1.5 * DAY

    def agrees(self, other: Span) -> bool:
        """Return True if both may mean the same, because one contains the other or they overlap."""
        if self.low == self.high or other.low == other.high:
            return abs(self.low - other.low) <= CLOSE * max(abs(self.low), abs(other.low))
        return self.low < other.high - 1e-9 and other.low < self.high - 1e-9


CLOSE: Final = 0.01
"""Share by which two numbers may differ that state the same (an area with its lakes and without)."""


def date_span(literal: str) -> Span | None:
    """Return the days of a literal in fractional years, else None; 1 January of a time may mean the year."""
    text = literal_text(literal)
    found = _DATE.fullmatch(text)
    if found is None or (literal_kind(literal) == "number"):
        return None
    year, month, day = int(found[1]), int(found[2] or 0), int(found[3] or 0)
    if not month or (month == day == 1 and "dateTime" in literal):
        return Span(float(year), float(year + 1))
    start = year + (month - 1) * MONTH
    if not day:
        return Span(start, start + MONTH)
    start += (day - 1) * DAY
    return Span(start, start + DAY)


def number_span(literal: str) -> Span | None:
    """Return the number that a literal is; Freebase writes some untyped, so what reads as one is one."""
    if literal_kind(literal) == "date":
        return None
    text = literal_text(literal)
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text.replace(",", ""))
    return Span(value, value)


def span_of(literal: str, kind: ValueKind) -> Span | None:
    """Return the literal as a value of a kind, None where it is none of it."""
    if kind == "date":
        return date_span(literal)
    if kind == "number":
        return number_span(literal)
    return date_span(literal) or number_span(literal)


def meets(span: Span, condition: Condition) -> bool | None:
    """Return whether all values in a span meet a condition, or None if only some of them do."""
    low, high = _bounds(condition)
    if span.low == span.high:
        return low <= span.low < high or (span.low == low and low == high)
    inside = span.low >= low - 1e-9 and span.high <= high + 1e-9
    apart = span.high <= low + 1e-9 or span.low >= high - 1e-9
    return True if inside else False if apart else None


def _bounds(condition: Condition) -> tuple[float, float]:
    """Return the interval of values that meet a condition, its end excluded."""
    low, high, most = condition.low, condition.high, float("inf")
    step = float.fromhex("0x1p-40") * max(1.0, abs(low))
    if condition.op == "in":
        return low, high if condition.kind == "date" else high + step
    if condition.op == "=":
        return (low, low + 1.0) if condition.kind == "date" else (low - step, low + step)
    if condition.op in ("<", "<="):
        return -most, low + (step if condition.op == "<=" else 0.0)
    return low + (step if condition.op == ">" else 0.0), most


def before(one: Span, other: Span) -> bool | None:
    """Return whether one is less than the other, or None if they overlap."""
    if one == other and one.low == one.high:
        return False
    if one.high <= other.low + 1e-9:
        return True
    if other.high <= one.low + 1e-9:
        return False
    return None


def years_between(low: Span, high: Span) -> tuple[int, int]:
    """Return the full years from one date to the other: the least and the most that are possible."""
    least = int((high.low - (low.high - DAY if low.high > low.low else low.low)) + 1e-6)
    most = int((high.high - DAY if high.high > high.low else high.low) - low.low + 1e-6)
    return min(least, most), most
