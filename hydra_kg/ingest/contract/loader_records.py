"""The records that a :class:`StatementLoader` yields: facts, names of entities, and rejected or dropped lines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Final, TypeAlias

from hydra_kg.util.fast_dataclass import dataclass, field


class Year(int):
    """A year as a value: ``Year(1979)`` is a date, ``1979`` a number."""


LiteralValue: TypeAlias = str | int | float | Decimal | date | datetime | Year
"""A value: text, a number, a truth value, a day, a moment, a year."""

PointInTime: TypeAlias = date | datetime | Year


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """Base of records with a place.

    ``line`` counts from 1, and 0 is the last line that was read. ``locator`` is the place in the line, such as ``row 3,
    column capital``.
    """

    line: int = 0
    locator: str = ""


@dataclass(frozen=True, slots=True)
class StatedFact(_Placed):
    """One fact: a relation of an entity to another one (``object``) or to a ``value``.

    An entity is an id that other sources use too (``Q42``, ``m.042f1``, an IRI) or any text. A text is an entity of
    this load alone and is also its name. A statement without a subject or relation, or without exactly one of object
    and value, makes its line rejected.

    Attributes:
        relation: Words (``directed_by``) or an id (``P57``, an IRI).
        since, until, at: When the fact is true.
        qualifiers: Further circumstances.
        confidence: How sure the source itself is, from 0 to 1.
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
    """The names and types of an entity. ``types`` are entities like those of statements."""

    key: str
    name: str = ""
    aliases: Sequence[str] = ()
    description: str = ""
    types: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class RejectedLine(_Placed):
    """A line that cannot be understood. Whatever was yielded for it is discarded. ``reason`` is one word."""

    reason: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class DroppedLine(_Placed):
    """A line that a cleaning rule of the loader leaves out on purpose."""

    rule: str


LoaderRecord: TypeAlias = StatedFact | Labels | RejectedLine | DroppedLine

TIMES: Final = (("since", "P580"), ("until", "P582"), ("at", "P585"))
"""Fields of time, with the qualifiers that Wikidata uses for them."""

_ESCAPED: Final = str.maketrans(
    {chr(n): f"\\u{n:04X}" for n in range(32)} | {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
)


def literal_key(value: LiteralValue) -> str:
    """Return a value as the key of a literal: ``1979`` → ``"1979"^^xsd:integer``.

    Raises ValueError for a number that is not finite.
    """
    if isinstance(value, str):
        return f'"{strip_unstorable(value).translate(_ESCAPED)}"'
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
        raise ValueError(f"{value} is not a number.")
    return f'"{value}"^^xsd:{"decimal" if isinstance(value, Decimal) else "double"}'


def strip_unstorable(text: str) -> str:
    """Return a text that every store accepts, without lone surrogates and NUL."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
