"""Questions whose words say less than the columns do: out of stock, most of several references, how old, which apples,
what was not returned, places within places."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hydra_kg import Hydra

SHOP = {
    "growers.csv": """grower_id,name,town,founded
G1,Hollow Farm,Larkwood,1987-03-01
G2,Birch Orchard,Millbrook,1954-06-12
G3,Stone Acre,Larkwood,2003-09-20
G4,Fen End,Oxley,1921-04-02
""",
    "products.csv": """product_id,name,kind,price_per_kg,stock,grower_id
P1,Redstart,apple,2.80,120,G1
P2,Coxcomb,apple,3.10,0,G3
P3,Winter Bell,pear,3.40,35,G2
P4,Honey Drop,pear,2.95,0,G1
P5,Gold Pip,apple,2.20,60,G2
P6,Blue Gage,plum,4.10,15,G3
""",
    "customers.csv": """customer_id,name,town
C1,Ada Moor,Larkwood
C2,Ben Tarn,Oxley
C3,Cleo Ash,Millbrook
""",
    "orders.csv": """order_id,customer_id,product_id,kg,paid_on,status
1,C1,P1,5,2024-03-01,kept
2,C1,P3,2,,missed
3,C2,P1,12,2024-03-09,kept
4,C3,P6,1,2024-04-01,missed
""",
}
CLUB = {
    "teams.csv": """team_id,name,founded
T1,Ravens,1902
T2,Otters,1911
T3,Foxes,1930
T4,Herons,1950
""",
    "players.csv": """player_id,name,team_id,born,died
1,Bo Lind,T1,1998-05-14,
2,Ida Marsh,T2,1938-07-30,2011-10-05
3,Per Aune,T2,1995-01-30,
""",
    "matches.csv": """match_id,played_on,home_team_id,away_team_id,winner_id
1,2024-01-06,T1,T2,T2
2,2024-01-13,T3,T1,T1
3,2024-01-20,T1,T4,
4,2024-01-27,T2,T3,T2
5,2024-02-03,T4,T2,T2
6,2024-02-10,T1,T3,T1
7,2024-02-17,T3,T4,T3
""",
}
PLACES = """@prefix : <http://fruit.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Region a rdfs:Class ; rdfs:label "region" .
:County a rdfs:Class ; rdfs:label "county" .
:Town a rdfs:Class ; rdfs:label "town" .
:liesIn rdfs:label "lies in" .
:northland a :Region ; rdfs:label "Northland" .
:southmark a :Region ; rdfs:label "Southmark" .
:elmshire a :County ; rdfs:label "Elmshire" ; :liesIn :northland .
:dunshire a :County ; rdfs:label "Dunshire" ; :liesIn :southmark .
:larkwood a :Town ; rdfs:label "Larkwood" ; :liesIn :elmshire .
:oxley a :Town ; rdfs:label "Oxley" ; :liesIn :northland .
:millbrook a :Town ; rdfs:label "Millbrook" ; :liesIn :dunshire .
"""


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Hydra]]:
    folder = tmp_path_factory.mktemp("own")
    places = folder / "places.ttl"
    places.write_text(PLACES, encoding="utf-8")
    sources: dict[str, Path] = {"places": places}
    for name, tables in (("shop", SHOP), ("club", CLUB)):
        sources[name] = folder / name
        sources[name].mkdir()
        for file, text in tables.items():
            (sources[name] / file).write_text(text, encoding="utf-8")
    opened = {name: Hydra(store=folder / f"{name}.db", agent="offline") for name in sources}
    for name, hydra in opened.items():
        hydra.load(sources[name])
    yield opened
    for hydra in opened.values():
        hydra.close()


@pytest.mark.parametrize(
    "store, question, answers",
    [
        ("shop", "Which apples should I buy?", set()),
        ("shop", "Which apples are grown in Larkwood?", {"Redstart", "Coxcomb"}),
        ("shop", "Which pears have a price per kg over 3?", {"Winter Bell"}),
        ("shop", "How many apples are out of stock?", {"1"}),
        ("shop", "Which products are out of stock?", {"Coxcomb", "Honey Drop"}),
        ("shop", "Which products are in stock?", {"Redstart", "Winter Bell", "Gold Pip", "Blue Gage"}),
        ("shop", "Which products are sold out?", set()),
        ("shop", "Which fruit grows in Millbrook?", set()),
        ("shop", "Which orders have not been paid?", {"order 2"}),
        ("shop", "How many orders did Ada Moor miss?", {"1"}),
        ("shop", "Who paid the highest kg?", set()),
        ("club", "Which team won the most matches?", {"Otters"}),
        ("club", "Which team played the most matches?", {"Ravens", "Foxes"}),
        ("club", "Which team played the most home matches?", {"Ravens"}),
        ("club", "Which team lost the most matches?", set()),
        ("club", "How many matches did the Herons play?", {"3"}),
        ("club", "How many matches begin in Ravens?", set()),
        ("club", "How old is Ida Marsh?", {"73"}),
        ("places", "How many towns lie in Northland?", {"2"}),
        ("places", "Which towns lie in Northland?", {"Larkwood", "Oxley"}),
        ("places", "What lies in Elmshire?", {"Larkwood"}),
        ("places", "Where does Larkwood lie?", {"Elmshire"}),
    ],
)
def test_what_is_said_in_fewer_words_is_found_or_not_answered(
    stores: dict[str, Hydra], store: str, question: str, answers: set[str]
) -> None:
    assert {a.name for a in stores[store].ask(question).answers} == answers


def test_how_old_is_in_years_until_today(stores: dict[str, Hydra]) -> None:
    today = date.today()
    years = today.year - 1998 - ((today.month, today.day) < (5, 14))
    assert [a.name for a in stores["club"].ask("How old is Bo Lind?").answers] == [str(years)]


def test_equal_columns_that_only_happen_to_be_unique_are_no_reference(stores: dict[str, Hydra]) -> None:
    """Growers in the towns of customers are not customers."""
    answers = stores["shop"].ask("Which growers are in Larkwood?").answers
    assert {a.name for a in answers} == {"Hollow Farm", "Stone Acre"}
