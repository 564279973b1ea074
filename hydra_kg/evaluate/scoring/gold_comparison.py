"""Comparison of an answer with a gold answer of the plain layout: by id or name, as a date, or as a number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from hydra_kg.language.dates import month_number
from hydra_kg.text.folding import fold

_ISO: Final = re.compile(r"(?<!\d)(-?\d{4})(?:-(\d\d))?(?:-(\d\d))?(?!\d)")
_NUMBER: Final = re.compile(r"(?:about |ca\. )?([+-]?\d+(?:\.\d+)?)(?: ?[^\W\d]+\.?){0,2}")
"""A number followed by at most two words of a unit."""
_DIALECT: Final = re.compile(r"-(gb|us)$", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"^(the|a|an) ")
_LANGUAGE: Final = re.compile(r" languages?$")
_IN_BRACKETS: Final = re.compile(r"\s*\(.*\)$")
_TOLERANCE: Final = 0.005
"""Relative difference allowed between two measured (not whole) numbers."""


class PartialDate(NamedTuple):
    """A day, a month or a year; missing parts are 0."""

    year: int
    month: int = 0
    day: int = 0

    def agrees(self, other: PartialDate) -> bool:
        """Return True if no part that both dates have differs: May 1998 agrees with 14 May 1998."""
        return self.year == other.year and all(
            a == b or not (a and b) for a, b in zip(self[1:], other[1:], strict=True)
        )


def fits(answer: Mapping[str, Any], gold: Mapping[str, Any]) -> bool:
    """Return True if ``answer`` (``{"name", "value"?, "id"?, "ids"?}``) is this gold answer.

    - With ``date`` the dates must agree in the parts that both have.
    - With ``value`` a whole number must be equal, any other within 0.5 % of the name or an alias.
    - Otherwise they must share an id, a name or an alias, apart from case, accents, punctuation, a leading article, a
      bracketed suffix, "language" and "-GB".
    """
    texts = [str(text) for text in (answer.get("name"), answer.get("value")) if text]
    if gold.get("date"):
        wanted = read_date(str(gold["name"]))
        return wanted is not None and any((d := read_date(t)) is not None and d.agrees(wanted) for t in texts)
    names = [str(name) for name in (gold.get("name"), *(gold.get("aliases") or ())) if name]
    if "value" in gold:
        offered = [n for t in texts if (n := read_number(t)) is not None]
        return any(same_number(n, w) for n in offered for name in names if (w := read_number(name)) is not None)
    if set(answer.get("ids") or [answer.get("id")]) & set(gold.get("ids") or ()):
        return True
    bare = (_IN_BRACKETS.sub("", text) for text in texts)
    return bool(({_name(t) for t in (*texts, *bare)} & {_name(n) for n in names}) - {""})


def read_date(text: str) -> PartialDate | None:
    """Return the first date of a text or of an RDF literal, or None without a year.

    It is in ISO form or has an English month.
    """
    words = lexical(text)
    tokens = re.findall(r"[A-Za-z]+|\d+", words)
    iso = _ISO.search(words)
    if iso and (iso[2] or all(len(t) < 3 for t in tokens if t.isalpha())):
        return PartialDate(int(iso[1]), int(iso[2] or 0), int(iso[3] or 0))
    month = next((n for t in tokens if (n := month_number(t[:3]))), 0)
    year = next((int(t) for t in tokens if t.isdigit() and len(t) == 4), 0)
    day = next((int(t) for t in tokens if t.isdigit() and len(t) <= 2), 0)
    return PartialDate(year, month, day if month else 0) if year else None


def read_number(text: str) -> float | None:
    """Return the number that a text or an RDF literal is, with or without a unit.

    The result is None if the number is only a part of the text.
    """
    found = _NUMBER.fullmatch(lexical(text).replace(",", "").strip())
    return float(found[1]) if found else None


def same_number(offered: float, wanted: float) -> bool:
    """Return True if two numbers are the same.

    Whole numbers are counts and years and must be equal. Others are measured and may differ by the tolerance.
    """
    return offered == wanted if wanted.is_integer() else abs(offered - wanted) <= _TOLERANCE * abs(wanted)


def lexical(text: str) -> str:
    """Return the text of a literal: ``"1971-10-13"^^xsd:date`` gives ``1971-10-13``.

    A text that is no RDF literal is returned without the spaces around it.
    """
    text = text.strip()
    return text[1 : text.rindex('"')] if text.startswith('"') and text.rindex('"') > 0 else text


def _name(text: str) -> str:
    return _LANGUAGE.sub("", _ARTICLE.sub("", fold(_DIALECT.sub("", text.strip()))))
