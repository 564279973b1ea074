"""Dates, codes, book numbers and plain numbers with units, each in a form that equal ones share."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple

from dateutil import parser

from hydra_kg.language.units import unit_factors
from hydra_kg.text.folding import fold

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
_CODE: Final = re.compile(r"[A-Z0-9]*\d[A-Z0-9]*")
_JOINED: Final = re.compile(r"(?<![A-Z0-9])([A-Z])-(?=\d)")
_ZEROS: Final = re.compile(r"^([A-Z]*)0+(?=\d)")
_NUMBER: Final = re.compile(r"([-+−]?)\s*[$€£¥]?\s*(\d[\d,' ]*(?:\.\d+)?|\.\d+)\s*(.*)", re.DOTALL)
_SCALES: Final = {
    "k": 1e3,
    "thousand": 1e3,
    "mn": 1e6,
    "million": 1e6,
    "b": 1e9,
    "bn": 1e9,
    "billion": 1e9,
    "trillion": 1e12,
    "%": 0.01,
    "percent": 0.01,
}


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


def isbn(text: str) -> str:
    """Return the 13 digits of a valid ISBN, or "" for anything else.

    The ten-digit form of a book therefore equals the long one.
    """
    digits = re.sub(r"[\s–-]", "", re.sub(r"^\s*ISBN(?:-1[03])?:?", "", text, flags=re.IGNORECASE)).upper()
    if re.fullmatch(r"\d{9}[\dX]", digits):
        values = [10 if c == "X" else int(c) for c in digits]
        if sum((10 - i) * v for i, v in enumerate(values)) % 11:
            return ""
        digits = "978" + digits[:9]
        return digits + str(-_weighted(digits) % 10)
    if re.fullmatch(r"97[89]\d{10}", digits) and _weighted(digits) % 10 == 0:
        return digits
    return ""


def _weighted(digits: str) -> int:
    return sum(int(c) * (3 if i % 2 else 1) for i, c in enumerate(digits))


def code(text: str) -> str:
    """Return the code in a label, in upper case and without leading zeros, or "" if there is none.

    ``Term B - B84N`` gives ``B84N`` and ``Gate 07`` gives ``7``. It is the last code before a slash.
    """
    plain = _JOINED.sub(r"\1", re.sub(r"[?*]", "", text.upper()).split("/")[0])
    found = _CODE.findall(plain)
    return _ZEROS.sub(r"\1", found[-1]) if found else ""


def number(text: str) -> tuple[float, str] | None:
    """Return a number and its unit, or None.

    Known units are converted to metre, kilogram, second or square metre; unknown units stay.
    """
    match = _NUMBER.fullmatch(text.strip())
    if not match or len(match[3].split()) > 2:
        return None
    value = float(re.sub(r"[,' ]", "", match[2])) * (-1 if match[1] in ("-", "−") and match[1] else 1)
    unit = re.sub(r"^M\b", "million", match[3].strip())  # a small m is a metre
    words = unit.lower().replace(".", "").split()
    if words and words[0] in _SCALES:
        value, words = value * _SCALES[words[0]], words[1:]
    unit = " ".join(words)
    base = unit_factors().get(unit) or unit_factors().get(unit.removesuffix("s"))
    if base:
        return round(value * base[1], 9), base[0]
    return value, fold(unit)
