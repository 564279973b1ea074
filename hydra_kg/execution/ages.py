"""Compute ages: whole years from a day or a year until another day."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

_BEGAN: Final = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d\d)-(?P<day>\d\d)(?:T.*)?)?$")

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
