"""Questions over a graph with an ontology: classes above classes, events without names, who does it, what is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

FILMS = """
@prefix ex: <https://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:Film rdfs:label "film" .
ex:Person rdfs:label "person" .
ex:wrote rdfs:label "wrote" .
ex:acted rdfs:label "acted in" .
ex:Salt a ex:Film ; rdfs:label "Salt" .
ex:Tide a ex:Film ; rdfs:label "Tide" .
ex:Ada a ex:Person ; rdfs:label "Ada Lindqvist" ; ex:wrote ex:Salt ; ex:acted ex:Salt .
ex:Tom a ex:Person ; rdfs:label "Tom Reed" ; ex:wrote ex:Tide .
ex:Ines a ex:Person ; rdfs:label "Ines Moreau" ; ex:acted ex:Tide .
"""
KIN = """
@prefix ex: <https://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:Person rdfs:label "person" .
ex:children rdfs:label "children" .
ex:spouse rdfs:label "spouse" .
ex:Tom a ex:Person ; rdfs:label "Tom Reed" ; ex:children ex:Bo ; ex:spouse ex:Ada .
ex:Ada a ex:Person ; rdfs:label "Ada Lund" ; ex:spouse ex:Tom, ex:Sven .
ex:Sven a ex:Person ; rdfs:label "Sven Holm" ; ex:spouse ex:Ada .
ex:Bo a ex:Person ; rdfs:label "Bo Reed" ; ex:children ex:Kim .
ex:Kim a ex:Person ; rdfs:label "Kim Reed" ; ex:children ex:Lena .
ex:Lena a ex:Person ; rdfs:label "Lena Falk" .
"""
WORKS = """@prefix : <http://works.example/vocab#> .
@prefix d: <http://works.example/data/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:partOf a owl:TransitiveProperty .
:Machine a rdfs:Class ; rdfs:label "Machine" .
:Pump a rdfs:Class ; rdfs:label "Pump" ; rdfs:subClassOf :Machine .
:GearPump a rdfs:Class ; rdfs:label "Gear pump" ; rdfs:subClassOf :Pump .
:Press a rdfs:Class ; rdfs:label "Press" ; rdfs:subClassOf :Machine .
:Firm a rdfs:Class ; rdfs:label "Firm" .
:PhdStudent a rdfs:Class ; rdfs:label "PhD student" .
:Repair a rdfs:Class ; rdfs:label "Repair" .
:Budget a rdfs:Class ; rdfs:label "Budget" .
:Project a rdfs:Class ; rdfs:label "Project" .
d:m1 a :GearPump ; rdfs:label "P-101" ; :standsIn d:hall1 ; :powerKw 30 ; :installedOn "1999-04-02"^^xsd:date .
d:m2 a :GearPump ; rdfs:label "P-102" ; :standsIn d:hall2 ; :powerKw 12 ; :installedOn "2011-01-20"^^xsd:date .
d:m3 a :Press ; rdfs:label "S-103" ; :standsIn d:hall2 ; :powerKw 85 ; :installedOn "2004-08-08"^^xsd:date .
d:hall1 rdfs:label "Hall One" ; :kind "hall" ; :partOf d:north .
d:hall2 rdfs:label "Hall Two" ; :kind "hall" ; :partOf d:south .
d:north rdfs:label "North Works" ; :kind "site" ; :partOf d:all .
d:south rdfs:label "South Works" ; :kind "site" ; :partOf d:all .
d:all rdfs:label "United Works" ; :kind "estate" .
[] a :Repair ; :repairOf d:m1 ; :sort "inspection" ; :doneOn "2022-05-05"^^xsd:date ; :doneBy d:una .
[] a :Repair ; :repairOf d:m1 ; :sort "overhaul" ; :doneOn "2023-02-11"^^xsd:date ; :doneBy d:ole .
[] a :Repair ; :repairOf d:m3 ; :sort "inspection" ; :doneOn "2023-06-30"^^xsd:date ; :doneBy d:una .
d:una a :PhdStudent ; rdfs:label "Una Lind" .
d:ole a :PhdStudent ; rdfs:label "Ole Berg" .
d:kelm a :Firm ; rdfs:label "Kelm Brothers" .
d:berg a :Firm ; rdfs:label "Bergdal" .
d:tarn a :Firm ; rdfs:label "Tarn Steel" .
[] :supplier d:kelm ; :customer d:berg .
[] :supplier d:berg ; :customer d:tarn .
d:lumen a :Project ; rdfs:label "Lumen" ; :paidFrom d:b1 .
d:helix a :Project ; rdfs:label "Helix" ; :paidFrom d:b2 .
d:b1 a :Budget ; rdfs:label "B-1" ; :amount 400 .
d:b2 a :Budget ; rdfs:label "B-2" ; :amount 900 .
"""


@pytest.fixture(scope="module")
def works(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("works"), {"works.ttl": WORKS})


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Pumps in the South Works", {"P-102"}),
        ("Machines in the United Works", {"P-101", "P-102", "S-103"}),
        ("Machines installed before 2005", {"P-101", "S-103"}),
        ("Most powerful pump", {"P-101"}),
        ("Machines inspected in 2023", {"S-103"}),
        ("Machines without a repair", {"P-102"}),
        ("Machines that were never repaired", {"P-102"}),
        ("PhD students who did an overhaul", {"Ole Berg"}),
        ("Firms that supply Bergdal", {"Kelm Brothers"}),
        ("Firms that Bergdal supplies", {"Tarn Steel"}),
        ("Project with the largest budget", {"Helix"}),
        ("Sites where P-101 stands", {"North Works"}),
    ],
)
def test_graphs_answer(works: Hydra, question: str, answers: set[str]) -> None:
    answer = works.ask(question, keep=False)
    assert {a.name for a in answer.answers} == answers
    assert answer.evidence


@pytest.mark.parametrize("question", ["Machines that were never painted", "Machines inspected in 1987"])
def test_what_nothing_says_is_not_denied_of_all(works: Hydra, question: str) -> None:
    assert not works.ask(question, keep=False).answers


def test_who_is_answered_by_no_film(tmp_path: Path) -> None:
    file = tmp_path / "films.ttl"
    file.write_text(FILMS, encoding="utf-8")
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(file)
        found = hydra.ask("Who wrote and acted in the same film?", keep=False)
        kept = hydra.ask("Which film did Tom Reed write?", keep=False)
    assert "Salt" not in {answer.name for answer in found.answers}
    assert [answer.name for answer in kept.answers] == ["Tide"]


@pytest.fixture(scope="module")
def kin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("kin"), {"kin.ttl": KIN})


@pytest.mark.parametrize(
    "question, answer",
    [
        ("Who are Tom Reed's children?", "Bo Reed"),
        ("What is Tom Reed's children's children?", "Kim Reed"),
        ("What is Tom Reed's children's offspring?", "Kim Reed"),
        ("Who is the child of Tom Reed's offspring?", "Kim Reed"),
        ("Who is the offspring of child of Tom Reed?", "Kim Reed"),
    ],
)
def test_each_word_of_a_chain_is_a_step(kin: Hydra, question: str, answer: str) -> None:
    assert [found.name for found in kin.ask(question, keep=False).answers] == [answer]
