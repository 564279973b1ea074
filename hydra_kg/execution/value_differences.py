"""Compute differences of two values: numbers, the time between two days, and ages."""

from __future__ import annotations

import math
import re
from datetime import date
from typing import Final

from hydra_kg.execution.graph_columns import Denotation
from hydra_kg.execution.own_graph import OwnGraph


def subtract(graph: OwnGraph, high: Denotation, low: Denotation, unit: str) -> Denotation:
    """Return ``high`` − ``low``. Return no number unless each is one number or, for a unit of time, one day."""
    result = Denotation()
    if unit:
        last, first = _day(graph, high), _day(graph, low)
        if first is not None and last is not None:
            earlier, later = sorted((first, last))
            amount = count_elapsed(earlier, later, unit)
            result.number = float(amount if first <= last else -amount)
            result.computation = f"{earlier} to {later}: {amount} {unit}"
            result.rows = list(dict.fromkeys((*high.rows, *low.rows)))
        return result
    a, b = _number(graph, high), _number(graph, low)
    if not math.isnan(a - b):
        result.number, result.computation = a - b, f"{a:g} and {b:g}: {abs(a - b):g} apart"
    return result


def subtract_years(graph: OwnGraph, high: Denotation, low: Denotation) -> Denotation:
    """Return the years between two values that are years without a day: 1898 and 1954. Return no number for others."""
    result = Denotation()
    last, first = (graph.name(d.values[0]) if len(d.values) == 1 else "" for d in (high, low))
    if all(year.isdecimal() and len(year) == _YEAR_DIGITS for year in (first, last)):
        amount = int(last) - int(first)
        result.number, result.computation = float(amount), f"{first} to {last}: {abs(amount)} years"
    return result


def count_elapsed(first: date, last: date, unit: str) -> int:
    """Return the number of whole days, weeks, months or years from one day to a later one."""
    if unit in ("days", "weeks"):
        return (last - first).days // (7 if unit == "weeks" else 1)
    months = (last.year - first.year) * 12 + last.month - first.month - (last.day < first.day)
    return months if unit == "months" else months // 12


def _number(graph: OwnGraph, found: Denotation) -> float:
    if found.number is not None:
        return found.number
    is_one = len(found.values) == 1 and not any(found.measures)
    return float(graph.numbers[found.values[0]]) if is_one else math.nan


def _day(graph: OwnGraph, found: Denotation) -> date | None:
    try:
        return date.fromisoformat(graph.name(found.values[0])[:10]) if len(found.values) == 1 else None
    except ValueError:
        return None


_BEGAN: Final = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d\d)-(?P<day>\d\d)(?:T.*)?)?$")

_YEAR_DIGITS: Final = 4

OLDEST: Final = 115
"""Years after a birth from which a person does not count as alive, even if no source states a death."""


def age(began: str, today: date) -> tuple[int, int] | None:
    """Return the least and most years since a day, or since some day of a year; None if no year is stated."""
    m = _BEGAN.match(began)
    if m is None or (years := today.year - int(m["year"])) < 0:
        return None
    if m["month"] is None:
        return max(0, years - 1), years
    years -= (today.month, today.day) < (int(m["month"]), int(m["day"]))
    return (years, years) if years >= 0 else None


def last_day(text: str) -> date | None:
    """Return the day that a text states (the last day of a year), or None if it states none."""
    try:
        return date.fromisoformat(text[:10] if "-" in text else f"{text[:4]}-12-31")
    except ValueError:
        return None
