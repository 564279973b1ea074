"""Graphs without labels, and dumps of items alone, are asked by name through the real command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Call = Callable[..., Result]

MILL = """@prefix v: <http://mill.example/vocab#> .
@prefix : <http://mill.example/id/> .
:fen_mill a v:WaterMill ; v:ownedBy :TomasReed ; v:openedIn 1874 .
:hill_mill a v:WaterMill ; v:ownedBy :TomasReed ; v:openedIn 1902 .
:TomasReed v:livesIn <http://mill.example/id/%C3%98stby> .
"""
SKOS = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix b: <http://birds.example/> .
b:wader a skos:Concept ; skos:prefLabel "Wader"@en ; skos:narrower b:knot .
b:knot a skos:Concept ; skos:prefLabel "Red knot"@en ; skos:altLabel "Robin sandpiper"@en ;
 skos:definition "a wader that breeds in the high north"@en ; skos:broader b:wader .
"""


def asked(call: Call, store: Path, question: str) -> list[str]:
    doc = json.loads(call("ask", question, "--store", store, "--json", code=None).stdout)
    return [answer["name"] for answer in doc["answers"]]


def entity(key: str, name: str, **claims: str) -> dict[str, object]:
    def statement(prop: str, value: str) -> dict[str, object]:
        item = {"entity-type": "item", "numeric-id": int(value[1:]), "id": value}
        snak = {"snaktype": "value", "property": prop, "datavalue": {"value": item, "type": "wikibase-entityid"}}
        return {
            "mainsnak": {**snak, "datatype": "wikibase-item"},
            "type": "statement",
            "rank": "normal",
            "id": f"{key}$1",
        }

    return {
        "type": "item",
        "id": key,
        "labels": {"en": {"language": "en", "value": name}},
        "claims": {prop: [statement(prop, value)] for prop, value in claims.items()},
    }


@pytest.mark.slow
def test_a_graph_without_labels_is_asked_by_the_words_of_its_addresses(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "mill.ttl"
    file.write_text(MILL)
    store = tmp_path / "store"
    call("load", file, "--store", store)
    assert asked(call, store, "Who is Fen Mill owned by?") == ["Tomas Reed"]
    assert asked(call, store, "Where does Tomas Reed live?") == ["Østby"]
    assert asked(call, store, "Which water mill was opened in 1902?") == ["hill mill"]


@pytest.mark.slow
def test_alternative_labels_and_definitions_are_asked_for(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "birds.ttl"
    file.write_text(SKOS)
    store = tmp_path / "store"
    call("load", file, "--store", store)
    assert asked(call, store, "What is the alternative label of Red knot?") == ["Robin sandpiper"]
    assert asked(call, store, "What is the definition of the Robin sandpiper?") == [
        "a wader that breeds in the high north"
    ]


@pytest.mark.slow
def test_items_alone_are_asked_in_bundled_words(call: Call, tmp_path: Path) -> None:
    items = [
        entity("Q9100001", "Orla Venn", P22="Q9100002", P69="Q9100003"),
        entity("Q9100002", "Piet Venn"),
        entity("Q9100003", "Tarn College"),
    ]
    file = tmp_path / "EntityData.json"
    file.write_text(json.dumps({"entities": {str(e["id"]): e for e in items}}, indent=1))
    store = tmp_path / "store"
    call("load", file, "--store", store)
    assert asked(call, store, "Who is the father of Orla Venn?") == ["Piet Venn"]
    assert asked(call, store, "Where was Orla Venn educated?") == ["Tarn College"]


@pytest.mark.slow
def test_wikidata_and_freebase_in_turtle_have_words_too(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "people.ttl"
    file.write_text("""@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix ns: <http://rdf.freebase.com/ns/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
wd:Q9100001 rdfs:label "Orla Venn" ; wdt:P26 wd:Q9100002 . wd:Q9100002 rdfs:label "Piet Ray" .
ns:m.0zz91 ns:type.object.name "The Quiet Weir"@en ; ns:film.film.directed_by ns:m.0zz92 .
ns:m.0zz92 ns:type.object.name "Ada Lund"@en .
""")
    store = tmp_path / "store"
    call("load", file, "--store", store)
    assert asked(call, store, "Who is the spouse of Orla Venn?") == ["Piet Ray"]
    assert asked(call, store, "Who directed The Quiet Weir?") == ["Ada Lund"]


@pytest.mark.slow
def test_definitions_and_flags_answer_short_questions(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "birds.ttl"
    flags = "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n@prefix v: <http://v.example/> .\n"
    file.write_text(flags + SKOS + "b:knot owl:deprecated true ; v:endangered false .\n")
    store = tmp_path / "store"
    call("load", file, "--store", store)
    assert asked(call, store, "What is a red knot?") == ["a wader that breeds in the high north"]
    assert asked(call, store, "Is Red knot deprecated?") == ["yes"]
    assert asked(call, store, "Is the Red knot endangered?") == ["no"]
    assert asked(call, store, "Is Wader deprecated?") == []
