"""Points in time in mixed formats: clock, day, year and zone, as far as a source gives them."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple

from dateutil import parser

# The first h:mm, with am or pm in any spelling, also run together with the day that follows ("2:45pDec 1").
_CLOCK: Final = re.compile(
    r"(?<![\d:])(\d{1,2}):(\d\d)(?::\d\d(?:\.\d+)?)?(?!\d)\s*(?:([ap])\.?\s?m?\b\.?|([ap])\.?m?\.?(?=[A-Z]))?",
    re.IGNORECASE,
)
_OFFSET: Final = re.compile(r"\(?(?:\b(?:UTC|GMT))?\s*([+-])(\d\d):(\d\d)\)?\s*$")
_LETTERS: Final = re.compile(r"[a-z]{3,}", re.IGNORECASE)
_ZONES: Final = {
    "ut": 0,
    "utc": 0,
    "gmt": 0,
    "z": 0,
    "est": -300,
    "edt": -240,
    "cst": -360,
    "cdt": -300,
    "mst": -420,
    "mdt": -360,
    "pst": -480,
    "pdt": -420,
    "akst": -540,
    "akdt": -480,
    "hst": -600,
    "cet": 60,
    "cest": 120,
    "bst": 60,
    "jst": 540,
}
_ZONE: Final = re.compile(rf"\b({'|'.join(_ZONES)})\b\.?", re.IGNORECASE)
# Two dates that agree in nothing: what both readings share was written, what they do not was filled in.
_FILL: Final = (datetime(1904, 1, 1), datetime(1908, 2, 2))
_NOT_GIVEN: Final = -1


class Moment(NamedTuple):
    """A partly known point in time; unknown parts are −1.

    - ``minute``: the minute of the local day.
    - ``day``: month · 32 + day.
    - ``year``: the year.
    - ``offset``: minutes east of UTC + 10,000.
    """

    minute: int = _NOT_GIVEN
    day: int = _NOT_GIVEN
    year: int = _NOT_GIVEN
    offset: int = _NOT_GIVEN

    @property
    def known(self) -> bool:
        """Whether minute, day or year is known."""
        return max(self.minute, self.day, self.year) >= 0


def moment(text: str) -> Moment:
    """Return the point in time that a text names, or ``Moment()``.

    No time zone is converted. Dates are read with the month first.
    """
    clock = _CLOCK.search(text)
    minute = _NOT_GIVEN
    if clock and int(clock[1]) < 24 and int(clock[2]) < 60:
        hour, minutes, one, two = clock.groups()
        half = (one or two or "").lower()
        minute = (int(hour) % 12 + 12 * (half == "p") if half else int(hour)) * 60 + int(minutes)
        text = f"{text[: clock.start()]} {text[clock.end() :]}"
    day, year, offset = _rest(" ".join(text.split()))
    return Moment(minute, day, year, offset)


@lru_cache(maxsize=65536)
def _rest(text: str) -> tuple[int, int, int]:
    """Return day, year and offset of a text without its clock, cached because few distinct ones occur."""
    offset = _NOT_GIVEN
    found = _OFFSET.search(text)
    if found:
        offset = 10_000 + int(f"{found[1]}1") * (int(found[2]) * 60 + int(found[3]))
        text = text[: found.start()]
    elif zone := _ZONE.search(text):
        offset = 10_000 + _ZONES[zone[1].lower()]
        text = f"{text[: zone.start()]} {text[zone.end() :]}"
    text = re.sub(r"\([^)]*\)|[*?]", " ", text).strip(" ,;-–")
    if not any(c.isdigit() for c in text) or len(text) > 40 or len(_LETTERS.findall(text)) > 3:
        return _NOT_GIVEN, _NOT_GIVEN, offset
    try:
        one, two = (parser.parse(text, default=fill) for fill in _FILL)
    except (ValueError, OverflowError, TypeError):
        return _NOT_GIVEN, _NOT_GIVEN, offset
    year = one.year if one.year == two.year else _NOT_GIVEN
    both = one.month == two.month and one.day == two.day
    return one.month * 32 + one.day if both else _NOT_GIVEN, year, offset
