"""Who and where over tables of events, and relations that are called by a preposition."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hydra_kg import Answer, Hydra

SHIPMENTS = """shipment,sender,goods,quantity,destination,date
S1,Lind,crates,40,Bergen,2021-03-02
S2,Holm,barrels,12,Oslo,2021-03-05
S3,Lind,barrels,9,Tromso,2021-04-01
S4,Rane,crates,25,Oslo,2021-04-09
"""
VETS = "vet_id,name,subject,hired_on\nV1,Ida Moss,Surgery,2009-03-01\nV2,Bo Kerr,Dentistry,2012-09-01\n"
PETS = "pet_id,name,town,insurer\nP1,Rex Horn,Bern,Helvia\nP2,Una Park,Basel,Corona\nP3,Max Boyd,Bern,Helvia\n"
CALLS = """call_id,pet_id,vet_id,call_date,cost,finding
1,P1,V1,2024-01-15,320,Fracture
2,P2,V2,2024-03-02,180,Caries
3,P3,V1,2024-03-20,250,Fracture
"""
SHELVES = """@prefix ex: <https://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:below rdfs:label "is below" . ex:left rdfs:label "is left of" . ex:box rdfs:label "box" .
ex:b1 a ex:box ; rdfs:label "box 1" ; ex:below ex:b2 ; ex:left ex:b3 .
ex:b2 a ex:box ; rdfs:label "box 2" ; ex:left ex:b4 .
ex:b3 a ex:box ; rdfs:label "box 3" ; ex:below ex:b4 .
ex:b4 a ex:box ; rdfs:label "box 4" ; ex:left ex:b1 .
"""


def opened(folder: Path, files: dict[str, str]) -> Iterator[Hydra]:
    (folder / "data").mkdir()
    for name, text in files.items():
        (folder / "data" / name).write_text(text, "utf-8")
    with Hydra(store=folder / "store") as hydra:
        hydra.load(folder / "data" if len(files) > 1 else folder / "data" / next(iter(files)))
        yield hydra


@pytest.fixture(scope="module")
def shipments(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from opened(tmp_path_factory.mktemp("shipments"), {"shipments.csv": SHIPMENTS})


@pytest.fixture(scope="module")
def practice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from opened(tmp_path_factory.mktemp("practice"), {"vets.csv": VETS, "pets.csv": PETS, "calls.csv": CALLS})


@pytest.fixture(scope="module")
def shelves(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from opened(tmp_path_factory.mktemp("shelves"), {"shelves.ttl": SHELVES})


def names(answer: Answer) -> set[str]:
    return {a.name for a in answer.answers}


@pytest.mark.parametrize(
    "question, wanted",
    [
        ("Where did Lind ship crates to?", {"Bergen"}),
        ("Who shipped crates to Oslo?", {"Rane"}),
        ("Who is Lind?", set()),
    ],
)
def test_who_and_where_are_not_answered_with_the_code_of_a_row(shipments: Hydra, question: str, wanted: set[str]):
    assert names(shipments.ask(question, keep=False)) == wanted


def test_who_did_something_to_a_named_thing_is_the_other_end_of_an_event(practice: Hydra):
    answer = practice.ask("Who treated Rex Horn?", keep=False)
    assert names(answer) == {"Ida Moss"}
    assert (answer.verdict, answer.unchecked) == ("partial", ("treated",)), "no column says so"


def test_a_verb_of_a_column_asks_for_the_rows_themselves(practice: Hydra):
    assert names(practice.ask("Who is insured by Helvia?", keep=False)) == {"Rex Horn", "Max Boyd"}


def test_a_word_near_to_the_name_of_a_table_does_not_ask_for_all_of_it(practice: Hydra):
    assert names(practice.ask("Who is a dentist?", keep=False)) != {"Ida Moss", "Bo Kerr"}


@pytest.mark.parametrize(
    "question, wanted",
    [("Which boxes are below box 2?", {"box 1"}), ("Which boxes are left of box 4?", {"box 2"})],
)
def test_a_preposition_that_is_the_name_of_a_relation_is_followed(shelves: Hydra, question: str, wanted: set[str]):
    assert names(shelves.ask(question, keep=False)) == wanted
