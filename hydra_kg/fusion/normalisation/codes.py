"""Codes, book numbers and plain numbers with units, each in a form that equal values share."""

from __future__ import annotations

import re
from typing import Final

from hydra_kg.language.units import unit_factors
from hydra_kg.text.folding import fold

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
