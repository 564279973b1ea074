"""Questions over tables and an ontology of one's own: their columns, classes and labels are the words to ask with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.own_data import loaded

from hydra_kg import Answer, Hydra
from hydra_kg.settings import Settings

PEOPLE = """name,job,city,born,height_cm
Pia Holm,cooper,Vester,1948,171
Jon Brandt,miller,Vester,1962,183
Ada Lund,cooper,Norby,1951,165
Ole Krogh,teacher,Norby,1939,178
Tora Vinge,cooper,Vester,1975,169
Sven Alm,baker,Sundal,1984,190
"""
PLANT = """@prefix : <http://plant.example/vocab#> .
@prefix d: <http://plant.example/data/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Supplier a rdfs:Class ; rdfs:label "Supplier" .
:Part a rdfs:Class ; rdfs:label "Part" .
:Valve a rdfs:Class ; rdfs:label "Valve" ; rdfs:subClassOf :Part .
:Delivery a rdfs:Class ; rdfs:label "Delivery" .
d:berg a :Supplier ; rdfs:label "Bergdal Works" ; :locatedIn d:sund ; :phoneNumber "555-0142" .
d:kelm a :Supplier ; rdfs:label "Kelm Brothers" ; :locatedIn d:holm .
d:sund rdfs:label "Sundal" ; :partOf d:north .
d:holm rdfs:label "Holmen" ; :partOf d:south .
d:tarn rdfs:label "Tarn" ; :partOf d:north .
d:ness rdfs:label "Ness" ; :partOf d:north .
d:vale rdfs:label "Vale" ; :partOf d:south .
d:north rdfs:label "Norland" ; :partOf d:realm .
d:south rdfs:label "Sorland" ; :partOf d:realm .
d:realm rdfs:label "Midrealm" .
d:v1 a :Valve ; rdfs:label "V217-88 Steam Valve" ; :weight_g 340 .
d:v2 a :Valve ; rdfs:label "V305-12 Gate Valve" ; :weight_g 610 .
d:p1 a :Part ; rdfs:label "P100-01 Bracket" ; :weight_g 90 .
[] a :Delivery ; :deliveredBy d:berg ; :deliveredPart d:v1 .
[] a :Delivery ; :deliveredBy d:berg ; :deliveredPart d:p1 .
[] a :Delivery ; :deliveredBy d:kelm ; :deliveredPart d:v2 .
"""


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("people"), {"people.csv": PEOPLE})


@pytest.fixture(scope="module")
def plant(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("plant"), {"plant.ttl": PLANT})


def said(answer: Answer) -> set[str]:
    return {a.name for a in answer.answers}


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Where does Pia Holm live?", {"Vester"}),
        ("When was Ada Lund born?", {"1951"}),
        ("How tall is Sven Alm?", {"190"}),
        ("Which coopers live in Vester?", {"Pia Holm", "Tora Vinge"}),
        ("Who was born before 1950?", {"Pia Holm", "Ole Krogh"}),
        ("Who is taller than 180 cm?", {"Jon Brandt", "Sven Alm"}),
        ("How many people live in Norby?", {"2"}),
        ("Who is the oldest cooper?", {"Pia Holm"}),
        ("Who is the tallest person?", {"Sven Alm"}),
    ],
)
def test_columns_and_cells_of_a_table_are_understood(people: Hydra, question: str, answers: set[str]) -> None:
    answer = people.ask(question, keep=False)
    assert said(answer) == answers
    assert answer.citations


@pytest.mark.parametrize(
    "question, answers",
    [
        ("What is the phone number of Bergdal Works?", {"555-0142"}),
        ("Which suppliers are located in Norland?", {"Bergdal Works"}),
        ("Which parts are delivered by Bergdal Works?", {"V217-88 Steam Valve", "P100-01 Bracket"}),
        ("Which valves are delivered by Bergdal Works?", {"V217-88 Steam Valve"}),
        ("What is the weight of the V217 valve?", {"340"}),
        ("Which valve is the heaviest?", {"V305-12 Gate Valve"}),
        ("Do we have suppliers in Sundal?", {"yes"}),
    ],
)
def test_classes_codes_parts_of_places_and_nameless_nodes(plant: Hydra, question: str, answers: set[str]) -> None:
    assert said(plant.ask(question, keep=False)) == answers


def test_every_hop_through_a_nameless_node_is_cited(plant: Hydra) -> None:
    answer = plant.ask("Which valves are delivered by Kelm Brothers?", keep=False)
    assert said(answer) == {"V305-12 Gate Valve"}
    assert [len(h.facts) for h in answer.evidence[0].path.hops] == [1, 1]


@pytest.mark.parametrize(
    "question",
    ["Which coopers live in Atlantis?", "Which valve has the highest density?", "Which suppliers are bankrupt?"],
)
def test_a_word_that_nothing_accounts_for_leaves_the_question_open(plant: Hydra, people: Hydra, question: str) -> None:
    for hydra in (plant, people):
        answer = hydra.ask(question, keep=False)
        assert answer.abstained or answer.unchecked


def test_the_reading_can_be_switched_off(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    settings = Settings().changed(answering={"own_words": False})
    with Hydra(store=tmp_path / "store", agent="offline", settings=settings) as hydra:
        hydra.load(tmp_path / "people.csv")
        answer = hydra.ask("Which coopers live in Vester?", keep=False)
    assert "words" not in [x.phase for x in answer.explorations]


ONTOLOGY = """@prefix : <http://club.example/vocab#> .
@prefix d: <http://club.example/data/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:relative rdfs:label "relative" .
:aunt rdfs:label "aunt" ; rdfs:subPropertyOf :relative .
:cousin rdfs:label "cousin" ; rdfs:subPropertyOf :relative .
:coaches rdfs:label "coaches" ; owl:inverseOf :trainer ; rdfs:domain :Coach .
:trainer rdfs:label "trainer" .
:Coach rdfs:label "Coach" .
d:una rdfs:label "Una Lind" ; :aunt d:ada ; :cousin d:ole .
d:ada rdfs:label "Ada Falk" ; :coaches d:una , d:ole .
d:ole rdfs:label "Ole Berg" .
d:pia rdfs:label "Pia Holm" ; :coaches d:ada .
"""


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("club"), {"club.ttl": ONTOLOGY})


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Who are the relatives of Una Lind?", {"Ada Falk", "Ole Berg"}),
        ("Who is the trainer of Ole Berg?", {"Ada Falk"}),
        ("How many coaches are there?", {"2"}),
    ],
)
def test_an_ontology_is_heeded(club: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in club.ask(question, keep=False).answers} == answers
