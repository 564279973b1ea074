"""A verb means the column of the type that is asked for, and measures are bounded, averaged, best and worst."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

GALLERY = {
    "paintings.csv": (
        "title,painter,painted on,height cm,width cm,material,room,rating\n"
        "Red Bridge,Sara Lindt,1931-04-02,120,150,oil,Blue Room,4.5\n"
        "Winter Market,Sara Lindt,1928-11-20,80,60,oil,Green Room,3.0\n"
        "Harbour at Dusk,Ida Moreau,1887-06-01,140,90,chalk,Blue Room,4.9\n"
        "Girl with Lute,Ida Moreau,1887-06-01,60,45,chalk,Hall,2.5\n"
        "Orchard,Olga Weiss,1960-09-14,200,180,tempera,Hall,3.9\n"
    ),
}
CELLAR = {
    "plots.csv": "plot,grower\nKirchberg,Ines Kolb\nHohe Leite,Ines Kolb\nAm Bach,Paula Voss\n",
    "bottlings.csv": (
        "lot,wine,plot,winemaker,alcohol,price\nL1,Kirchberg Riesling,Kirchberg,Marta Heil,12,14.5\n"
        "L2,Leite Reserve,Hohe Leite,Udo Lang,13.5,34\nL3,Bach Blanc,Am Bach,Nora Fitz,13,16\n"
    ),
    "orders.csv": "order,customer,lot,cases\nO1,Bistro Lune,L2,5\nO2,Hotel Anker,L1,12\nO3,Hotel Anker,L3,2\n",
}
MUSEUM = {
    "curators.csv": "curator,since,office\nBerit Solheim,2009,2.14\nOlav Dahl,2015,2.09\nIngrid Moe,2020,\n",
    "objects.csv": (
        "object,maker,curator\nSextant,Plath,Berit Solheim\nCod Scale,Aas,Olav Dahl\nTally Book,,Olav Dahl\n"
        "Net,Florø Works,Ingrid Moe\n"
    ),
    "loans.csv": (
        "loan,object,borrower,courier,start,end\nLO-1,Sextant,City Museum,Olav Dahl,2021-02-01,2021-08-31\n"
        "LO-2,Net,Maritime House,Ingrid Moe,2022-03-15,2022-12-15\nLO-3,Net,City Museum,Ingrid Moe,2023-05-01,\n"
        "LO-4,Cod Scale,City Museum,Olav Dahl,2023-01-01,2023-01-31\n"
    ),
}
PODCASTS = {
    "episodes.csv": (
        "episode,show,length min\nOwls,Night Radio,32\nTrains,Night Radio,41\nWorms,Soil,25\nClay,Soil,35\n"
        "Peat,Soil,27\n"
    ),
}


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Hydra]]:
    folders = {"gallery": GALLERY, "cellar": CELLAR, "museum": MUSEUM, "podcasts": PODCASTS}
    opened = {n: loaded(tmp_path_factory.mktemp(n), files, together=n) for n, files in folders.items()}
    yield {name: next(store) for name, store in opened.items()}
    for store in opened.values():
        next(store, None)


@pytest.mark.parametrize(
    "name, question, answers",
    [
        ("gallery", "Who painted in 1960?", ["Olga Weiss"]),
        ("gallery", "Who painted the most paintings?", ["Ida Moreau", "Sara Lindt"]),
        ("gallery", "Which painting was painted first?", ["Girl with Lute", "Harbour at Dusk"]),
        ("gallery", "Which painting has the worst rating?", ["Girl with Lute"]),
        ("gallery", "Which painting is the second best?", ["Red Bridge"]),
        ("gallery", "What is the best width?", []),  # is it the greatest?
        ("gallery", "Which paintings are larger than 100 cm in both height and width?", ["Orchard", "Red Bridge"]),
        ("gallery", "Which paintings have both height and width over 100 cm?", ["Orchard", "Red Bridge"]),
        ("gallery", "What is Red Bridge made of?", ["oil"]),
        ("museum", "What is the Cod Scale made of?", []),  # not its maker
        ("podcasts", "How long are the episodes of Soil on average?", ["29"]),
        ("podcasts", "On average, how long are episodes?", ["32"]),
    ],
)
def test_columns_of_the_type_asked_for(stores: dict[str, Hydra], name: str, question: str, answers: list[str]) -> None:
    assert sorted(one.name for one in stores[name].ask(question, keep=False).answers) == answers


@pytest.mark.parametrize(
    "name, question, answers",
    [
        ("cellar", "Who made the Leite Reserve?", ["Udo Lang"]),
        ("cellar", "Which plots does Ines Kolb look after?", ["Hohe Leite", "Kirchberg"]),
        ("cellar", "Did Bistro Lune order the Leite Reserve?", ["yes"]),
        ("cellar", "Did Hotel Anker order the Leite Reserve?", ["no"]),
        ("museum", "Who has been a curator the longest?", ["Berit Solheim"]),
        ("museum", "Which objects were never lent?", ["Tally Book"]),
        ("museum", "Which object was lent most often?", ["Net"]),
        ("museum", "How long was the loan LO-1 in days?", ["211 days"]),
        ("museum", "Which loans has Ingrid Moe accompanied?", ["LO-2", "LO-3"]),  # no company does
        ("museum", "Which borrowers only borrowed the Net?", []),  # not whoever borrowed it
    ],
)
def test_verbs_of_people_and_events(stores: dict[str, Hydra], name: str, question: str, answers: list[str]) -> None:
    assert sorted(one.name for one in stores[name].ask(question, keep=False).answers) == answers


NIGHTS = """@prefix : <http://example.org/obs/> .
@prefix v: <http://example.org/vocab#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:p1 a v:Observer ; rdfs:label "Yara Stein" ; v:employedSince "2004"^^xsd:gYear .
:p3 a v:Observer ; rdfs:label "Mira Coll" ; v:employedSince "2012"^^xsd:gYear .
:t1 a v:Telescope ; rdfs:label "Halden Reflector" .
:t2 a v:Telescope ; rdfs:label "Comet Seeker" .
:g1 a v:Target ; rdfs:label "NGC 7331" ; v:kind "galaxy" .
:g2 a v:Target ; rdfs:label "Algol" ; v:kind "variable star" .
:g4 a v:Target ; rdfs:label "M 57" ; v:kind "nebula" .
:o1 a v:Observation ; rdfs:label "OBS-1" ; v:observedBy :p1 ; v:ofTarget :g1 ; v:with :t1 ;
  v:night "2023-08-11"^^xsd:date ; v:exposure_minutes 120 .
:o2 a v:Observation ; rdfs:label "OBS-2" ; v:observedBy :p3 ; v:ofTarget :g2 ; v:with :t2 ;
  v:night "2023-09-02"^^xsd:date ; v:exposure_minutes 45 .
:o3 a v:Observation ; rdfs:label "OBS-3" ; v:observedBy :p1 ; v:ofTarget :g4 ; v:with :t1 ;
  v:night "2024-01-08"^^xsd:date ; v:exposure_minutes 90 .
:o4 a v:Observation ; rdfs:label "OBS-4" ; v:observedBy :p3 ; v:ofTarget :g1 ; v:with :t2 ;
  v:night "2024-02-14"^^xsd:date ; v:exposure_minutes 60 .
"""


@pytest.mark.parametrize(
    "question, answers",
    [
        ("What did Yara Stein observe?", ["M 57", "NGC 7331"]),  # no observation
        ("When was M 57 observed?", ["2024-01-08"]),  # not since when she is employed
        ("Which galaxy was observed?", ["NGC 7331"]),  # nobody
        ("What is the total exposure of NGC 7331 in minutes?", ["180"]),
    ],
)
def test_events_of_a_graph(nights: Hydra, question: str, answers: list[str]) -> None:
    assert sorted(one.name for one in nights.ask(question, keep=False).answers) == answers


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("nights"), {"nights.ttl": NIGHTS}, together="nights")


PIECES = {
    "stations.csv": "station,opened,chief\nCentral,1954,Helga Brandt\nHarbour,1988,Piotr Zielak\nNorth,2006,Al Bo\n",
    "pieces.csv": (
        "title,composer,written\nA Love of a Lifetime,Edda Falk,1987\nOld Vesper,Paul Stern,\nDawn,Edda Falk,1995\n"
    ),
    "singers.csv": "singer,joined,voice test\nBea Rohm,2011,yes\nNils Aker,2004,no\nYuki Mori,2022,yes\n",
    "concerts.csv": "concert_no,date,piece\n1,2022-12-11,Dawn\n2,2023-05-20,Old Vesper\n",
}


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Who has been chief the longest?", []),  # the station was opened long ago, not the chief
        ("Which pieces have no year?", []),  # not all of them
        ("Which singers have not passed the voice test?", ["Nils Aker"]),
        ("What are all of the pieces ordered by title?", ["A Love of a Lifetime", "Dawn", "Old Vesper"]),
    ],
)
def test_small_words_are_no_names(choir: Hydra, question: str, answers: list[str]) -> None:
    assert [one.name for one in choir.ask(question, keep=False).answers] == answers


@pytest.fixture(scope="module")
def choir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("choir"), PIECES, together="choir")
