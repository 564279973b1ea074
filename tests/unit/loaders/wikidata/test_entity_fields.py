"""The parser that knows the shape of an entity gives the same rows as the one that takes any shape."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

from hydra_kg import ids
from hydra_kg_loaders.wikidata import entities as wikidata_entities
from hydra_kg_loaders.wikidata.entities import Entities
from hydra_kg_loaders.wikidata.entity_fields import Data, SnakValue, decoder
from hydra_kg_loaders.wikidata.json_loader import RULES

DEFAULT = frozenset(name for name, rule in RULES.items() if rule.default)
WORDS = (
    "value",
    "id",
    "type",
    "snaktype",
    "mainsnak",
    "rank",
    "normal",
    "qualifiers",
    "references",
    "snaks",
    "datavalue",
    "labels",
    "aliases",
    "amount",
    "unit",
    "en",
    "enwiki",
    "title",
    "claims",
    "string",
)
P1, P2, Q7 = (str(ids.encode(key)) for key in ("P1", "P2", "Q7"))
INSTEAD = (
    "null",
    "[]",
    "{}",
    '"x"',
    "5",
    "9" * 30,
    '"\\u0001"',
    '"preferred"',
    '"deprecated"',
    '"somevalue"',
    '"\\ud800"',
    '"Q0"',
    '"P"',
    '"\\q"',
    "\x01",
    "tru",
    '"id"',
    '"en"',
)


def text(language: str, value: str) -> dict[str, Any]:
    return {language: {"language": language, "value": value}}


def item(prop: str, key: str) -> dict[str, Any]:
    value = {"entity-type": "item", "numeric-id": int(key[1:]), "id": key}
    return {
        "snaktype": "value",
        "property": prop,
        "hash": "ab",
        "datatype": "wikibase-item",
        "datavalue": {"value": value, "type": "wikibase-entityid"},
    }


def statement(snak: dict[str, Any], rank: str, *sources: dict[str, Any]) -> dict[str, Any]:
    return {
        "mainsnak": snak,
        "type": "statement",
        "id": "Q1$guid",
        "rank": rank,
        "qualifiers": {"P4": [item("P4", "Q7")]},
        "references": [{"hash": "cd", "snaks": source, "snaks-order": list(source)} for source in sources],
    }


def entity() -> dict[str, Any]:
    when = {"snaktype": "value", "property": "P2", "datavalue": {"type": "string", "value": 'a "text"'}}
    unknown = {"snaktype": "somevalue", "property": "P3"}
    long = {"snaktype": "value", "datavalue": {"type": "quantity", "value": {"amount": "+5", "unit": "Q2"}}}
    return {
        "type": "item",
        "id": "Q1",
        "labels": text("en", "One") | text("de", "Eins") | text("mul", "1"),
        "descriptions": text("en", "a number") | text("fr", "nombre"),
        "aliases": {"en": [text("en", "1st")["en"]]},
        "sitelinks": {"enwiki": {"site": "enwiki", "title": "One", "badges": []}, "dewiki": {"title": "Eins"}},
        "claims": {
            "P1": [
                statement(item("P1", "Q2"), "normal", {"P143": [item("P143", "Q328")]}),
                statement(item("P1", "Q3"), "preferred", {"P248": [item("P248", "Q15241312")], "P813": [when]}),
            ],
            "P2": [statement(when, "deprecated"), statement(when, "normal", {"P854": [when]})],
            "P3": [statement(unknown, "normal", {})],
            "P5": [statement(long, "normal")],
        },
    }


def rows(line: str, rules: frozenset[str], languages: list[str], *, any_shape: bool) -> tuple[str, dict[str, int]]:
    entities = Entities(rules=rules, languages=languages)
    if any_shape:
        entities._decode = entities._loosely = None
    found = entities.lines([line.encode("utf-8", "surrogatepass") + b",\n"], 1)
    return found, dict(entities.counts)


@pytest.mark.parametrize("languages", [["en"], ["de", "en"], ["fr"]])
@pytest.mark.parametrize("rules", [DEFAULT, DEFAULT - {"origins", "guid"}, DEFAULT | {"best-rank"}])
def test_both_parsers_give_the_same_rows(rules: frozenset[str], languages: list[str]) -> None:
    chance, whole, different = random.Random(5), json.dumps(entity()), set()
    for _ in range(120):
        line = whole
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            places = [m.span() for m in re.finditer(f'"{chance.choice(WORDS)}"', line)]
            if places:
                start, end = chance.choice(places)
                line = line[:start] + chance.choice(INSTEAD) + line[end:]
        expected = rows(line, rules, languages, any_shape=True)
        assert rows(line, rules, languages, any_shape=False) == expected
        different.add(expected[0])
    assert len(different) > 20


def test_nothing_else_is_read() -> None:
    read = decoder(["en"], ["enwiki"])(json.dumps(entity() | {"modified": "2026", "pageid": 7}).encode())
    assert sorted(read) == ["aliases", "claims", "descriptions", "id", "labels", "sitelinks"]
    assert read["labels"] == {"en": {"value": "One"}}
    assert read["sitelinks"] == {"enwiki": {"title": "One"}}
    assert read["claims"]["P1"][0].mainsnak.datavalue == Data(SnakValue(id="Q2"), "wikibase-entityid")
    assert list(read["claims"]["P1"][1].references[0]["snaks"]) == ["P248"]


@pytest.mark.parametrize("any_shape", [False, True])
@pytest.mark.parametrize(
    "kind, value, said",
    [
        ("wikibase-entityid", {"entity-type": "item", "numeric-id": 7}, (Q7, "")),
        ("wikibase-entityid", {"entity-type": "item", "numeric-id": 7, "id": None}, (Q7, "")),
        ("geo-shape", {"b": 2, "a": [1], "id": "Q2"}, ("0", r'"{\"a\": [1], \"b\": 2, \"id\": \"Q2\"}"')),
        ("tabular-data", 5, ("0", '"5"')),
    ],
)
def test_what_the_quick_parser_leaves_out_is_not_lost(
    kind: str, value: Any, said: tuple[str, str], *, any_shape: bool
) -> None:
    """Items of old dumps, which have only a number, and values that are kept as they are."""
    whole = entity()
    snak = {"snaktype": "value", "property": "P1", "datavalue": {"type": kind, "value": value}}
    whole["claims"] = {"P1": [statement(snak, "normal"), statement(snak, "deprecated")], "P2": [{"mainsnak": snak}]}
    found, counts = rows(json.dumps(whole), DEFAULT, ["en"], any_shape=any_shape)
    facts = [row.split("\t") for row in found.splitlines()]
    assert [(f[3], f[4]) for f in facts if f[2] in {P1, P2}] == [said, said]
    assert sum(f[2] not in {P1, P2, "0"} for f in facts) == 1  # P1/P4, of the qualifier
    assert counts == {"entities": 1, "statements": 3, "deprecated": 1}


def test_what_is_passed_over_may_hold_numbers_that_no_float_holds() -> None:
    line = json.dumps(entity()).replace('"badges": []', '"badges": 1e999')
    assert rows(line, DEFAULT, ["en"], any_shape=False) == rows(json.dumps(entity()), DEFAULT, ["en"], any_shape=True)


@pytest.mark.parametrize("end", ["", ",", ",,", " , ", "  "])
@pytest.mark.parametrize("begin", ["", " ", "\t"])
def test_what_stands_around_an_entity_changes_nothing(begin: str, end: str) -> None:
    line = json.dumps(entity())
    alone = Entities(rules=DEFAULT, languages=["en"])
    expected = alone.lines([line.encode() + b"\n"], 1)
    found = Entities(rules=DEFAULT, languages=["en"])
    assert found.lines([(begin + line + end).encode() + b"\n"], 1) == expected
    assert expected.count("\n") > 5
    assert found.counts == alone.counts


def test_it_does_not_matter_which_items_are_kept_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    line = json.dumps(entity()).encode() + b",\n"
    much = Entities(rules=DEFAULT, languages=["en"])
    expected = [much.lines([line], 1), much.lines([line], 2)]
    monkeypatch.setattr(wikidata_entities, "_MOST_ITEMS", 1)
    little = Entities(rules=DEFAULT, languages=["en"])
    assert [little.lines([line], 1), little.lines([line], 2)] == expected
    assert len(little._items) == 1 < len(much._items)


def test_a_statement_that_is_odd_costs_only_itself() -> None:
    whole = entity()
    claims = whole["claims"]
    for prop, odd in (("P1", {"snaktype": "value"}), ("P2", {"snaktype": "unheard-of"}), ("P3", None)):
        claims[prop].insert(1, statement(odd, "normal"))  # type: ignore[arg-type]
    entities, sane = (Entities(rules=DEFAULT, languages=["en"]) for _ in range(2))
    found = entities.lines([json.dumps(whole).encode() + b"\n"], 1)
    assert found == sane.lines([json.dumps(entity()).encode() + b"\n"], 1)
    assert (entities.counts["odd"], sane.counts["odd"]) == (3, 0)
    assert entities.counts["statements"] == sane.counts["statements"] + 3
