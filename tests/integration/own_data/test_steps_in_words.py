"""What was understood of a question about own data is said so that somebody who runs a shop understands it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

FRUIT = """@prefix x: <http://fruit.example/#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
x:Apple a rdfs:Class ; rdfs:label "apple" . x:Pear a rdfs:Class ; rdfs:label "pear" .
x:Grower a rdfs:Class ; rdfs:label "grower" . x:Town a rdfs:Class ; rdfs:label "town" .
x:grownBy rdfs:label "grower" . x:town rdfs:label "town" . x:price rdfs:label "price per kg" .
x:in rdfs:label "lies in" . x:brother rdfs:label "brother" .
x:larkwood a x:Town ; rdfs:label "Larkwood" ; x:in x:fen . x:milbrook a x:Town ; rdfs:label "Milbrook" ; x:in x:fen .
x:fen rdfs:label "Fenshire" ; x:in x:land . x:land rdfs:label "Northland" .
x:g1 a x:Grower ; rdfs:label "Hollow Farm" ; x:town x:larkwood ; x:brother x:g3 .
x:g2 a x:Grower ; rdfs:label "Tarn Orchards" ; x:town x:milbrook .
x:g3 a x:Grower ; rdfs:label "Sunny Bank" ; x:town x:larkwood .
x:russet a x:Apple ; rdfs:label "Russet" ; x:grownBy x:g1 ; x:price 2.1 .
x:pippin a x:Apple ; rdfs:label "Pippin" ; x:grownBy x:g2 ; x:price 2.9 .
x:bramley a x:Apple ; rdfs:label "Bramley" ; x:grownBy x:g1 ; x:price 1.8 .
x:conf a x:Pear ; rdfs:label "Conference" ; x:grownBy x:g3 ; x:price 2.6 .
x:comice a x:Pear ; rdfs:label "Comice" ; x:grownBy x:g2 ; x:price 3.4 .
"""
CLUB = {
    "coaches.csv": "coach_id,name,nationality\nc1,Fred Holm,Danish\nc2,Gina Sparrow,Welsh\n",
    "members.csv": "member_id,name,born,team,coach_id\n"
    "m1,Anna Berg,1990-05-04,Reds,c1\nm2,Bo Lind,1985-01-20,Reds,c1\nm3,Cleo Marsh,2001-12-31,Blues,c2\n",
}


@pytest.fixture(scope="module")
def fruit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("fruit"), {"fruit.ttl": FRUIT})


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("club"), CLUB, together="club")


def steps(hydra: Hydra, question: str) -> list[str]:
    return [step.text for step in hydra.ask(question, keep=False).steps]


@pytest.mark.parametrize(
    "question, said",
    [
        ("Which apples are grown by a grower in Larkwood?", ["apples whose grower's town is Larkwood: 2"]),
        (
            "Which grower is in the same town as Hollow Farm?",
            ["growers whose town is Larkwood and not called Hollow Farm: 1 of 3"],
        ),
        ("Which growers have the same town of Hollow Farm?", ["growers with the same town as Hollow Farm: 1"]),
        ("Which apples have a grower whose brother is Sunny Bank?", ["apples whose grower's brother is Sunny Bank: 2"]),
        ("What is the price per kg of Comice?", ["pears called Comice: 1 of 2", "price per kg of pears called Comice"]),
        ("Which pears have a price per kg over 3?", ["pears whose price per kg is more than 3: 1 of 2"]),
        ("Is Larkwood in Northland?", ["whether Larkwood lies in Northland, directly or through others: yes"]),
        ("Which apples are not grown by Hollow Farm?", ["apples without any grower called Hollow Farm: 1 of 3"]),
        (
            "What is the cheapest apple by price per kg?",
            ["lowest “price per kg” of 3", "apples, only the one with the lowest price per kg"],
        ),
    ],
)
def test_a_way_over_a_graph_is_a_phrase(fruit, question, said):
    assert steps(fruit, question) == said


@pytest.mark.parametrize(
    "question, said",
    [
        ("Which members are coached by a Danish coach?", "members whose coach's nationality is Danish: 2 of 3"),
        ("Who was born after 1986?", "members born after 1986: 2 of 3"),
        ("Which members are not in the Reds?", "members whose team is not Reds: 1 of 3"),
        ("Which members does Fred Holm coach?", "members whose coach is Fred Holm: 2 of 3"),
        ("Who is the oldest member?", "members, only the one with the earliest “born”"),
        ("How many members are there per coach?", "the number of members, for each coach"),
    ],
)
def test_a_query_over_tables_is_a_phrase(club, question, said):
    assert steps(club, question)[-1] == said


def test_nothing_is_said_in_arrows(fruit, club):
    asked = [(fruit, "Which towns lie in Northland?"), (club, "What is the team of Anna Berg?")]
    assert not [text for hydra, question in asked for text in steps(hydra, question) if set("←→*") & set(text)]


STAFF = {
    "employees.csv": "employee ID,last name,first name,city\n1,Berg,Anna,Leeds\n2,Lind,Bo,Leeds\n3,Marsh,Cleo,York\n",
    "orders.csv": "order ID,employee ID,ship city\n10,1,Leeds\n11,2,York\n12,3,Leeds\n13,1,York\n",
}


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("staff"), STAFF, together="staff")


def test_things_are_named_rather_than_their_keys(staff: Hydra) -> None:
    answer = staff.ask("Which employees live in the same city as Anna Berg?", keep=False)
    assert [a.name for a in answer.answers] == ["Bo Lind"]
