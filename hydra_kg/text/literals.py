"""Functions that turn a literal's key in N-Triples form into text, datatype and kind."""

from __future__ import annotations

import re
from typing import Final

_LITERAL: Final = re.compile(r'"((?:[^"\\]|\\.)*)"(?:@([A-Za-z0-9-]+)|\^\^(.+))?', re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_SHORT: Final = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}
_DATES: Final = frozenset({"date", "dateTime", "gYear", "gYearMonth", "gMonthDay", "time"})
_NUMBERS: Final = frozenset({"integer", "int", "long", "decimal", "float", "double", "nonNegativeInteger"})


def is_literal(key: str) -> bool:
    """Return True if a key is a literal."""
    return key.startswith('"')


def literal_text(key: str) -> str:
    """Return the text of a literal as people read it: ``"1961-08-04"^^xsd:date`` gives ``1961-08-04``.

    Numbers lose a leading plus sign, and a time of midnight UTC is left out. Keys that are no literal are returned
    unchanged.
    """
    m = _LITERAL.fullmatch(key)
    if not m:
        return key
    text = _ESCAPE.sub(_unescape, m[1])
    return text.lstrip("+") if literal_kind(key) == "number" else text.removesuffix("T00:00:00Z")


def literal_parts(key: str) -> tuple[str, str, str]:
    """Return the text, the language and the datatype of a literal, each "" if absent.

    Escapes in the text are resolved; nothing else is changed.
    """
    m = _LITERAL.fullmatch(key)
    return (key, "", "") if not m else (_ESCAPE.sub(_unescape, m[1]), m[2] or "", (m[3] or "").strip("<>"))


def literal_kind(key: str) -> str:
    """Return "date", "number" or "text", or "" for a key that is no literal."""
    m = _LITERAL.fullmatch(key)
    if not m:
        return ""
    datatype = (m[3] or "").rsplit("#", 1)[-1].rsplit(":", 1)[-1].rstrip(">")
    return "date" if datatype in _DATES else "number" if datatype in _NUMBERS else "text"


def _unescape(m: re.Match[str]) -> str:
    if m[1] or m[2]:
        code = int(m[1] or m[2], 16)
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
    return _SHORT.get(m[3], m[3])


def says_more(date: str, other: str) -> bool:
    """Return True if ``date`` is a more precise form of ``other``, as 1955-02-24 is of 1955-02."""
    return date.startswith(f"{other}-")
