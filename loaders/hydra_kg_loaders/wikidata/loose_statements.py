"""Convert parsed statements of any shape into the shape of the dump, as far as possible."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from msgspec import UNSET

from hydra_kg_loaders.wikidata.entity_fields import Data, Snak, SnakValue, WikidataStatement
from hydra_kg_loaders.wikidata.snak_values import JSON_KINDS, entity_key

_FIELDS: Final = SnakValue.__struct_fields__


def parse_loosely(entity: Any) -> Any:
    """Return an entity with ``WikidataStatement`` where possible. Odd parts are unchanged. It never raises."""
    if isinstance(entity, dict):
        for part in ("claims", "statements"):
            if isinstance(claims := entity.get(part), dict):
                entity[part] = {name: _each(found, _statement) for name, found in claims.items()}
    return entity


def snak_of(found: Any) -> Any:
    """Return one snak of an entity in the same way."""
    if not isinstance(found, dict):
        return found
    data: Any = found.get("datavalue")
    if isinstance(data, dict) and "type" in data:
        data = Data(_value(data.get("value", UNSET), data["type"]), data["type"])
    return Snak(found.get("snaktype"), data, found.get("datatype"))


def _statement(found: Any) -> Any:
    """Return a statement whose JSON has an unusual shape, as far as it can be read."""
    if not isinstance(found, dict):
        return found
    qualifiers = found.get("qualifiers")
    if isinstance(qualifiers, dict):
        qualifiers = {name: _each(snaks, snak_of) for name, snaks in qualifiers.items()}
    return WikidataStatement(
        snak_of(found.get("mainsnak")),
        found.get("id", ""),
        found.get("rank", "normal"),
        qualifiers,
        found.get("references"),
    )


def _value(found: Any, kind: Any) -> Any:
    if not isinstance(found, dict) or kind in JSON_KINDS:
        return found
    value = SnakValue(**{name: found[name] for name in _FIELDS if name in found})
    if value.id is None and kind == "wikibase-entityid":
        value.id = ""
        with suppress(KeyError, TypeError, ValueError):
            value.id = entity_key(found)
    return value


def _each(found: Any, make: Callable[[Any], Any]) -> Any:
    return [make(one) for one in found] if isinstance(found, list) else found
