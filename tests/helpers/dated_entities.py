"""Small dumps of Wikidata whose entities have a population for each of several years."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def entity(key: str, name: str, what: str, population: dict[int, int]) -> dict[str, Any]:
    """An entity as Wikidata's dump has it: a class, and a number for each year, which a qualifier says."""

    def stated(number: int, year: int) -> dict[str, Any]:
        when = {"time": f"+{year}-01-01T00:00:00Z", "precision": 9, "calendarmodel": "Q1985727"}
        at = {"snaktype": "value", "property": "P585", "datavalue": {"type": "time", "value": when}}
        value = {"type": "quantity", "value": {"amount": f"+{number}", "unit": "1"}}
        main = {"snaktype": "value", "property": "P1082", "datavalue": value, "datatype": "quantity"}
        return {"mainsnak": main, "type": "statement", "rank": "normal", "qualifiers": {"P585": [at]}}

    kind = {"type": "wikibase-entityid", "value": {"entity-type": "item", "id": what}}
    is_a = {"snaktype": "value", "property": "P31", "datavalue": kind, "datatype": "wikibase-item"}
    claims = {"P31": [{"mainsnak": is_a, "type": "statement", "rank": "normal"}]}
    claims |= {"P1082": [stated(number, year) for year, number in population.items()]} if population else {}
    return {"type": "item", "id": key, **said(name), "claims": claims, "sitelinks": {}}


def said(name: str) -> dict[str, Any]:
    return {"labels": {"en": {"language": "en", "value": name}}, "descriptions": {}, "aliases": {}}


def dump(path: Path, *entities: dict[str, Any]) -> Path:
    """Write a dump with the names of the properties and classes that its entities use."""
    kinds = [
        {"type": "item", "id": key, **said(name), "claims": {}}
        for key, name in (("Q515", "city"), ("Q6256", "country"))
    ]
    named = {
        "P1082": ("population", "quantity"),
        "P585": ("point in time", "time"),
        "P31": ("instance of", "wikibase-item"),
    }
    properties = [
        {"type": "property", "id": key, "datatype": kind, **said(name)} for key, (name, kind) in named.items()
    ]
    lines = [json.dumps(row) for row in (*kinds, *entities, *properties)]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    return path
