"""Lenient parsers for single fields of a reply: text, list, number, yes or no, cut to limits or refused."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from typing import Any, Final

from hydra_kg.agents.prompting.escaping import quote

_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")
_NOTHING: Final = frozenset({"", "none", "unknown", "n/a", "na", "null", "not known", "not stated", "no answer", "-"})
_LINK: Final = re.compile(r"\s+(?:[-–—]+>?|=>|→|›)\s+|\s*(?:->|-›|→|=›)\s*")


def text(most: int) -> Callable[[Any], str]:
    """Return a parser for one line of at most ``most`` characters; an object counts as its first string."""

    def read(value: Any) -> str:
        if isinstance(value, dict):
            value = next((v for v in value.values() if isinstance(v, str)), "")
        if isinstance(value, list):
            value = " - ".join(str(v)[:most] for v in value[:9])
        return "" if value is None else quote(str(value), most)

    return read


def many(most: int) -> Callable[[Any], list[Any]]:
    """Return a parser for a list of at most ``most`` values.

    A single value becomes a list of one, an object the list of its values.
    """

    def read(value: Any) -> list[Any]:
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            return value[:most]
        return [] if value is None or value == "" else [value]

    return read


def names(value: Any) -> list[str]:
    """Return at most ten names, each once, without "unknown" and similar words."""
    found = [text(80)(v) for v in many(10)(value)]
    return [name for name in dict.fromkeys(found) if is_name(name)]


def is_name(name: str) -> bool:
    """Return True if a text is a name rather than "unknown" or a similar word."""
    return name.casefold().strip(" .") not in _NOTHING


def count(value: Any) -> Any:
    """Return the whole number in ``3``, ``"3."`` or ``"path 3"``, limited to -1 to 999."""
    number = _number(value)
    return value if number is None else round(max(-1.0, min(999.0, number)))


def one_of(known: Collection[str], other: str) -> Callable[[Any], str]:
    """Return a parser for one of the words in ``known``, in any case; any other value becomes ``other``."""

    def read(value: Any) -> str:
        word = value.strip().casefold() if isinstance(value, str) else ""
        return word if word in known else other

    return read


def score(value: Any) -> Any:
    """Return the score from 0 to 10 that ``8``, ``"8/10"``, ``.8`` or ``80`` states."""
    number = _number(value)
    if number is None:
        return value
    if 0 < number < 1:
        number *= 10
    elif 10 < number <= 100:
        number /= 10
    return round(max(0.0, min(10.0, number)))


def _number(value: Any) -> float | None:
    if isinstance(value, str):
        found = _NUMBER.search(value[:40])
        value = found and float(found[0])
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return None if math.isnan(value) else float(value)
    except OverflowError:
        return None


def yes_no(value: Any) -> Any:
    """Return ``yes`` or ``no`` for a truth value or for the first word of a text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        word = re.split(r"\W+", value[:40].strip(" \"'*").casefold(), maxsplit=1)[0]
        return {"true": "yes", "y": "yes", "false": "no", "n": "no"}.get(word, word)
    return value


def links(value: Any) -> list[Any]:
    """Return at most seven links of a chain, from an entity to an entity, given as a list or a text."""
    listed = many(7)(split_chain(value) if isinstance(value, str) else value)
    return listed[: len(listed) - (len(listed) + 1) % 2]


def split_chain(line: str) -> list[str]:
    """Return the links of ``A - relation - B`` in order; arrows and brackets are accepted too."""
    return [part.strip() for part in _LINK.split(line.strip().strip("[]")) if part.strip()]


def stem(key: Any) -> str:
    """Return a key without case, punctuation and plural ending."""
    return re.sub(r"[^a-z]", "", str(key)[:40].lower()).removesuffix("s")
