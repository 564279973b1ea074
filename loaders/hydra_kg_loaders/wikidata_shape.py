"""The parts of an entity's JSON that are looked at: the parser passes over the rest without making objects of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import GenericAlias
from typing import Any, Final, TypedDict

import msgspec

ORIGINS: Final = ("P248", "P143", "P4656", "P854")
"""Snaks of references that say where a statement came from."""


class _Text(TypedDict):
    value: Any


class _Link(TypedDict):
    title: Any


class _Snak(TypedDict, total=False):
    snaktype: Any
    datavalue: Any
    datatype: Any


def decoder(languages: Iterable[str], wikis: Iterable[str]) -> Callable[[bytes], Any]:
    """What reads a line: texts in these languages, sitelinks to these wikis, statements without hashes, and of their
    references :data:`ORIGINS`, all as dictionaries with the names of the dump.

    It raises ``msgspec.MsgspecError``, RecursionError or UnicodeDecodeError for what is no JSON or of another shape;
    such a line is for a parser that takes any shape. What is passed over is checked for its syntax only.
    """
    tongues = tuple(languages)
    texts = _part("Texts", dict.fromkeys(tongues, _Text))
    many = _part("ManyTexts", dict.fromkeys(tongues, list[_Text]))
    links = _part("Links", dict.fromkeys(wikis, _Link))
    source = _part("Source", dict.fromkeys(ORIGINS, list[_Snak]))
    reference = _part("Reference", {"snaks": source}, total=True)
    statement = _part("Statement", {"mainsnak": _Snak, "id": Any, "rank": Any, "qualifiers": dict[str, list[_Snak]],
                                    "references": _many(reference)})  # fmt: skip
    statements = GenericAlias(dict, (str, _many(statement)))
    kinds = {"labels": texts, "aliases": many, "descriptions": texts, "sitelinks": links, "claims": statements,
             "statements": statements}  # fmt: skip
    # Older dumps write an empty object as an empty list.
    entity = _part("Entity", {"id": Any} | {name: kind | list[Any] | None for name, kind in kinds.items()})
    return msgspec.json.Decoder(entity).decode


def _many(part: Any) -> Any:
    return GenericAlias(list, part)


def _part(name: str, fields: dict[str, Any], *, total: bool = False) -> Any:
    """A dictionary of which only these fields are read."""
    make: Any = TypedDict  # its fields are known at run time only
    return make(name, fields, total=total)
