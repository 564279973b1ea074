"""The parts of an entity's JSON that are read. The parser skips the rest without making objects of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypedDict

import msgspec

ORIGINS: Final = ("P248", "P143", "P4656", "P854")
"""Properties of references that say where a statement came from."""


class SnakValue(msgspec.Struct, gc=False):
    """Value of a snak: an item, an amount, a time, a text in a language, a place."""

    id: Any = None
    amount: Any = None
    unit: Any = "1"
    upperBound: Any = None
    lowerBound: Any = None
    time: Any = None
    precision: Any = None
    calendarmodel: Any = ""
    text: Any = None
    language: Any = msgspec.UNSET
    latitude: Any = None
    longitude: Any = None
    globe: Any = None


class Data(msgspec.Struct, gc=False):
    """A value and its kind."""

    value: SnakValue | str
    type: Any


class Snak(msgspec.Struct, gc=False):
    """A snak: a value, "no value" or "unknown value"."""

    snaktype: Any
    datavalue: Data | None = None
    datatype: Any = None


class WikidataStatement(msgspec.Struct, gc=False):
    """A snak and its parts.

    If :mod:`~hydra_kg_loaders.wikidata.loose_statements` made it, each part may be anything.
    """

    mainsnak: Snak
    id: Any = ""
    rank: Any = "normal"
    qualifiers: dict[str, list[Snak]] | None = None
    references: list[_Reference] | None = None


class _Text(TypedDict):
    value: Any


class _Link(TypedDict):
    title: Any


class _Snak(TypedDict, total=False):
    snaktype: Any
    datavalue: Any
    datatype: Any


class _Source(TypedDict, total=False):
    P248: list[_Snak]
    P143: list[_Snak]
    P4656: list[_Snak]
    P854: list[_Snak]


class _Reference(TypedDict):
    snaks: _Source


class _Statement(TypedDict, total=False):
    mainsnak: _Snak
    id: Any
    rank: Any
    qualifiers: dict[str, list[_Snak]]
    references: list[_Reference]


def decoder(languages: Iterable[str], wikis: Iterable[str], *, loose: bool = False) -> Callable[[bytes], Any]:
    """Return a function that decodes the line of an entity.

    Only these parts are read: texts in the languages, sitelinks to the wikis, statements, and of their references
    :data:`ORIGINS`. With ``loose``, statements of any shape are accepted, for :func:`loosely`. The function raises
    ``msgspec.MsgspecError``, RecursionError or UnicodeDecodeError for other lines.
    """
    tongues = tuple(languages)
    texts = _part("Texts", dict.fromkeys(tongues, _Text))
    many = _part("ManyTexts", dict.fromkeys(tongues, list[_Text]))
    links = _part("Links", dict.fromkeys(wikis, _Link))
    statements: Any = dict[str, list[_Statement]] if loose else dict[str, list[WikidataStatement]]
    kinds = {
        "labels": texts,
        "aliases": many,
        "descriptions": texts,
        "sitelinks": links,
        "claims": statements,
        "statements": statements,
    }
    # Older dumps write an empty object as an empty list.
    entity = _part("Entity", {"id": Any} | {name: kind | list[Any] | None for name, kind in kinds.items()})
    return msgspec.json.Decoder(entity).decode


def _part(name: str, fields: dict[str, Any], *, total: bool = False) -> Any:
    """Return the type of a dictionary of which only these fields are read."""
    make: Any = TypedDict  # its fields are known at run time only
    return make(name, fields, total=total)
