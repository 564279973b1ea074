"""Freebase's schema: facts that are shipped, and declarations of the dump itself, which override them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, Final

from hydra_kg import ids
from hydra_kg.util.fast_dataclass import dataclass, field

REVERSE: Final = "type.property.reverse_property"
MASTER: Final = "type.property.master_property"
EXPECTED: Final = "type.property.expected_type"
MEDIATOR: Final = "freebase.type_hints.mediator"
OBJECT_ID: Final = "type.object.id"
DECLARATIONS: Final = (REVERSE, MASTER, EXPECTED, MEDIATOR)

LITERALS: Final = {"type.int": "integer", "type.float": "float", "type.boolean": "boolean"}
_STRINGS: Final = frozenset({"type.text", "type.rawstring", "type.uri", "type.enumeration", "type.id", "type.key"})


@dataclass
class Schema:
    """What is known about the schema.

    Attributes:
        mediators: The types of mediators.
        canonical, reverse: Inverse properties.
        literal: The datatypes of properties.
    """

    mediators: set[str] = field(default_factory=set)
    canonical: dict[str, str] = field(default_factory=dict)
    reverse: dict[str, str] = field(default_factory=dict)
    literal: dict[str, str] = field(default_factory=dict)

    def declare(self, rows: Iterable[tuple[str, str, str]], paths: dict[str, str]) -> int:
        """Apply declarations (subject, predicate, object) and return the number of unresolved ones.

        ``paths`` maps machine ids to paths.
        """
        lost = 0
        for s, p, o in sorted(set(rows)):
            subject = paths.get(s, "") if s.startswith("m.") else s
            obj = paths.get(o, "") if o.startswith("m.") else o
            if not subject or not obj:
                lost += 1
            elif p == MEDIATOR:
                (self.mediators.add if literal_value(o) == "true" else self.mediators.discard)(subject)
            elif p == EXPECTED:
                kind = LITERALS.get(obj, "string" if obj in _STRINGS else "")
                if kind:
                    self.literal[subject] = kind
                else:
                    self.literal.pop(subject, None)
            elif p == REVERSE:
                self._pair(subject, obj)
            else:
                self._pair(obj, subject)
        return lost

    def _pair(self, master: str, reverse: str) -> None:
        """Note that two properties are inverses of each other."""
        if master == reverse:
            return
        for name in (master, reverse):  # forget what was known about either
            if (other := self.canonical.pop(name, None)) is not None:
                self.reverse.pop(other, None)
            if (other := self.reverse.pop(name, None)) is not None:
                self.canonical.pop(other, None)
        self.canonical[reverse] = master
        self.reverse[master] = reverse


def copy_bundled_schema() -> Schema:
    """Return a new copy of the shipped schema, which may be changed."""
    data = _data()
    schema = Schema(mediators=set(data["mediators"]))
    for canonical, reverse in data["reverse"]:
        schema.canonical[reverse] = canonical
        schema.reverse[canonical] = reverse
    for kind in ("integer", "float", "boolean", "string"):
        schema.literal.update(dict.fromkeys(data[kind], kind))
    return schema


def path_of(literal: str) -> str:
    """Return the name in the dump's RDF of a path: ``people.person.spouse_s`` for ``"/people/person/spouse_s"``."""
    return literal_value(literal).strip("/").replace("/", ".")


def literal_value(literal: str) -> str:
    """Return the text inside a literal that has no escapes."""
    return literal[1 : literal.rindex('"')] if literal.startswith('"') else literal


def key_of(node: int | None, text: str | None) -> str:
    """Return the key of a node from its pair of columns: the text if there is one, else the key in the id."""
    return text or (ids.decode(node) if node is not None else None) or ""


@cache
def _data() -> dict[str, Any]:
    packed = files("hydra_kg_loaders").joinpath("data/freebase_schema.json.gz").read_bytes()
    data: dict[str, Any] = json.loads(gzip.decompress(packed))
    return data
