"""Read days and moments as people write them, with the order of day and month of most cells in a column."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import Final, Literal

Order = Literal["dmy", "mdy"]

_DIGITS: Final = re.compile(
    r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?:[ ,T]+(\d{1,2}):(\d\d)(?::(\d\d))?(?: ?([AaPp])\.?[Mm]\.?)?)?"
)
_YEAR_FIRST: Final = re.compile(r"(\d{4})([./])(\d{1,2})\2(\d{1,2})")
_DAY_FIRST: Final = re.compile(
    r"(?:[^\W\d]+\.?,? )?(\d{1,2})(?:\.|st|nd|rd|th|er)?[ -](?:de )?([^\W\d]{3,12})\.?,?[ -](?:de )?(\d{4})"
)
_MONTH_FIRST: Final = re.compile(r"(?:[^\W\d]+\.?,? )?([^\W\d]{3,12})\.? (\d{1,2})(?:st|nd|rd|th)?,? ?(\d{4})")
_MONTHS: Final = (
    "jan january januar janvier enero gennaio januari janeiro ene gen janv",
    "feb february februar février fevrier febrero febbraio februari fevereiro fév fev févr",
    "mar march märz maerz mars marzo maart março marts mär mrz mrt",
    "apr april avril abril aprile abr avr",
    "may mai mayo maggio mei maio maj maggio mag",
    "jun june juni juin junio giugno junho giu",
    "jul july juli juillet julio luglio julho lug juil",
    "aug august août aout agosto augustus augusti ago",
    "sep sept september septembre septiembre settembre setembro set",
    "oct october oktober octobre octubre ottobre outubro okt ott out",
    "nov november novembre noviembre novembro",
    "dec december dezember décembre decembre diciembre dicembre dezembro dez déc dic des desember",
)
_NUMBER_OF: Final = {name: n for n, names in enumerate(_MONTHS, 1) for name in names.split()}
_CENTURY: Final = 69
"""Last two-digit year in the 21st century, as in POSIX."""


def read_day(cell: str, order: Order) -> str | None:
    """Return a day (or moment) in ISO form, None for other texts. Example: ``31.12.98`` is 1998-12-31."""
    text = cell.strip()
    if m := _DIGITS.fullmatch(text):
        day, month = (int(m[1]), int(m[3])) if order == "dmy" else (int(m[3]), int(m[1]))
        year = int(m[4]) if len(m[4]) == 4 else int(m[4]) + (2000 if int(m[4]) < _CENTURY else 1900)
        time = None
        if m[5]:
            hour = int(m[5]) % 12 + 12 * (m[8].lower() == "p") if m[8] else int(m[5])
            time = hour, int(m[6]), int(m[7] or 0)
        return _iso(year, month, day, time)
    if m := _YEAR_FIRST.fullmatch(text):
        return _iso(int(m[1]), int(m[3]), int(m[4]))
    if m := _DAY_FIRST.fullmatch(text):
        return _iso(int(m[3]), _NUMBER_OF.get(m[2].casefold(), 0), int(m[1]))
    if m := _MONTH_FIRST.fullmatch(text):
        return _iso(int(m[3]), _NUMBER_OF.get(m[1].casefold(), 0), int(m[2]))
    return None


def choose_order(cells: Sequence[str]) -> tuple[Order | None, int]:
    """Return the day order of most cells and its count, None for a tie. ``03.05.2016`` is 3 May."""
    counts: dict[Order, int] = {order: sum(read_day(c, order) is not None for c in cells) for order in ("dmy", "mdy")}
    if counts["dmy"] != counts["mdy"]:
        return max(counts, key=lambda o: counts[o]), max(counts.values())
    differs = any(read_day(c, "dmy") != read_day(c, "mdy") for c in cells if "." not in c)
    return (None if differs else "dmy"), counts["dmy"]


def _iso(year: int, month: int, day: int, time: tuple[int, int, int] | None = None) -> str | None:
    try:
        if time is None:
            return datetime.date(year, month, day).isoformat()
        return datetime.datetime(year, month, day, *time).isoformat()
    except ValueError:
        return None
