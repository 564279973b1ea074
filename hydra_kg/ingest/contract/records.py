"""What a :class:`StatementLoader` yields: facts, entities with their names, and lines that are rejected or dropped."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Final, TypeAlias


class Year(int):
    """A year as a value: ``Year(1979)`` is a date, ``1979`` a number."""


LiteralValue: TypeAlias = str | int | float | Decimal | date | datetime | Year
"""A value: text, a number, a truth value, a day, a moment, a year."""

PointInTime: TypeAlias = date | datetime | Year


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """``line`` from 1, 0 for the last one read; ``locator`` within it, as ``row 3, column capital``."""

    line: int = 0
    locator: str = ""


@dataclass(frozen=True, slots=True)
class StatedFact(_Placed):
    """One fact: a relation of an entity to another one (``object``) or to a ``value``.

    An entity is an id that other sources use too (``Q42``, ``m.042f1``, an IRI), or any text, which is then an entity
    of this load alone and is called by that text. ``relation``: words (``directed_by``), or an id (``P57``, an IRI).
    ``since``, ``until``, ``at``: when it holds · ``qualifiers``: further circumstances · ``confidence``: how sure the
    source itself is, 0 to 1. A statement without a subject or relation, or with no end or two, makes its line rejected.
    """

    subject: str
    relation: str
    object: str = ""
    value: LiteralValue | None = None
    since: PointInTime | None = None
    until: PointInTime | None = None
    at: PointInTime | None = None
    qualifiers: Mapping[str, LiteralValue] = field(default_factory=lambda: MappingProxyType({}))
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Labels(_Placed):
    """What an entity is called and what it is: ``types`` are entities as those of statements are."""

    key: str
    name: str = ""
    aliases: Sequence[str] = ()
    description: str = ""
    types: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class RejectedLine(_Placed):
    """The line cannot be understood. Nothing that was yielded for it counts; it is listed with ``reason``, one word."""

    reason: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class DroppedLine(_Placed):
    """The line is left out on purpose, by a cleaning rule of the loader."""

    rule: str


LoaderRecord: TypeAlias = StatedFact | Labels | RejectedLine | DroppedLine

TIMES: Final = (("since", "P580"), ("until", "P582"), ("at", "P585"))
"""Fields that say when, with the qualifiers by which Wikidata says it."""

_ESCAPED: Final = str.maketrans(
    {chr(n): f"\\u{n:04X}" for n in range(32)} | {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
)


def literal_key(value: LiteralValue) -> str:
    """Return a value as the key of a literal: ``1979`` → ``"1979"^^xsd:integer``.

    Raises ValueError for what is no number.
    """
    if isinstance(value, str):
        return f'"{plain(value).translate(_ESCAPED)}"'
    if isinstance(value, bool):
        return f'"{str(value).lower()}"^^xsd:boolean'
    if isinstance(value, Year):
        return f'"{int(value):04d}"^^xsd:gYear'
    if isinstance(value, int):
        return f'"{value}"^^xsd:integer'
    if isinstance(value, datetime):
        return f'"{value.isoformat()}"^^xsd:dateTime'
    if isinstance(value, date):
        return f'"{value.isoformat()}"^^xsd:date'
    if not math.isfinite(value):
        raise ValueError(f"{value} is no number.")
    return f'"{value}"^^xsd:{"decimal" if isinstance(value, Decimal) else "double"}'


def plain(text: str) -> str:
    """Text that every store can hold: no lone surrogates, no NUL."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
