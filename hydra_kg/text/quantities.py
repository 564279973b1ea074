"""Numbers in texts that programs and people write: amounts with a currency or unit, clock times, ranges of years."""

from __future__ import annotations

import math
import re
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.text.text_column import TextColumn

_SIGN: Final = r"(?:(?:US|CA|AU|NZ|HK|A|C)?[$]|[€£¥₹₽₩₺]|EUR|USD|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|zł|Kč|kr\.?)"
_UNIT: Final = (
    r"(?:%|‰|°[CF]?|[nµmcdk]?m[²³23]?|in|ft|feet|yd|mi|miles?|nmi|[mkµ]?g|t|lbs?|oz|[mcdh]?l|gal|ha|acres?|ms|s|sec|min"
    r"|mins|minutes?|h|hrs?|hours?|days?|weeks?|months?|yrs?|years?|[kMG]?Wh?|hp|k?V|m?A|[kMG]?Hz|mph|km/h|kn|knots"
    r"|[kKMGT]B|pts|points|px)"
)
_AMOUNT: Final = re.compile(
    rf"(?P<open>\()?(?P<minus>[-−])?[+]?(?P<sign>{_SIGN})?\s?(?P<number>[-−]?(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?)"
    rf"\s?(?P<unit>{_SIGN}|{_UNIT})?(?(open)\))"
)
_CLOCK: Final = re.compile(r"(\d{1,3}):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?(?:\s?([AaPp])\.?[Mm]\.?)?")
_RANGE: Final = re.compile(r"([12]\d{3})\s?[-–—/]\s?(?:\d{4}|\d{2}|present|today|now)?")
_FISCAL: Final = re.compile(r"(?:FY|fiscal(?: year)?)\s?'?(?:([12]\d{3})|(\d\d))(?:[-/–]\d{2,4})?", re.IGNORECASE)
_BEGINNINGS: Final = frozenset("0123456789(-−+$€£¥₹₽₩₺UEGCJIASNDPHzkFf")


def read_amount(text: str) -> float:
    """Return the number of an amount, or NaN: 1250.5 for "$1,250.50", 12 for "12 km", -5 for "(5 %)"."""
    if text[:1] not in _BEGINNINGS or not (m := _AMOUNT.fullmatch(text)):
        return math.nan
    value = float(m["number"].replace(",", "").replace("−", "-"))
    return -value if m["open"] or m["minus"] else value


def may_be_numbers(texts: TextColumn) -> npt.NDArray[np.bool_]:
    """Return False for texts that state no number, no amount and no time, by their first two bytes.

    A capital is followed by another one, or by "$", unless it is the F of "FY" or "Fiscal".
    """
    every = list(map(chr, range(256)))
    begin = np.array([not c.isascii() or c in _BEGINNINGS for c in every], np.bool_)
    alone = np.array([not (c.isascii() and c.isupper()) or c == "F" for c in every], np.bool_)
    following = np.array([not c.isascii() or c.isupper() or c == "$" for c in every], np.bool_)
    first, second = texts.bytes_at(0), texts.bytes_at(1)
    found: npt.NDArray[np.bool_] = begin[first] & (alone[first] | following[second])
    return found


def are_plain_numbers(texts: TextColumn) -> npt.NDArray[np.bool_]:
    """Return True for texts of digits, full stops and signs alone, which have no unit."""
    strange = np.array([c not in b"0123456789.+-" for c in range(256)], np.bool_)
    others = np.flatnonzero(strange[texts.column])
    plain = np.ones(len(texts), np.bool_)
    plain[np.searchsorted(texts.off, others, "right") - 1] = False
    return plain


def read_unit(text: str) -> str:
    """Return the unit or currency of an amount, or "": "km" for "12 km", "$" for "$1,250"."""
    if text[:1] not in _BEGINNINGS or text.isdigit() or not (m := _AMOUNT.fullmatch(text)):
        return ""
    return m["sign"] or m["unit"] or ""


def is_money(text: str) -> bool:
    """Return True for an amount with a currency: "$1,250", "40 EUR"."""
    return re.fullmatch(_SIGN, read_unit(text)) is not None


def read_time(text: str) -> float:
    """Return the number that orders a text that names a time, or NaN.

    - For a clock time or a duration ("1:23:45", "2:30 pm") it is the number of seconds.
    - For a range of years ("1988–2001", "2019/20") it is the first year.
    - For a fiscal year ("FY2019") it is the year.
    """
    if text[:1] not in _BEGINNINGS:
        return math.nan
    if m := _CLOCK.fullmatch(text):
        hours = int(m[1]) % 12 + 12 * (m[4].lower() == "p") if m[4] else int(m[1])
        return (hours * 60 + int(m[2])) * 60.0 if m[3] is None else hours * 3600 + int(m[2]) * 60 + float(m[3])
    if m := _RANGE.fullmatch(text):
        return float(m[1])
    if m := _FISCAL.fullmatch(text):
        return float(m[1] or 2000 + int(m[2]))
    return math.nan
