"""Questions over tables about yes and no in cells, rates of a period, times of day, stuffs, and the noun asked for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

TABLES = {
    "kennel": """kennel,town,monthly_price
Hill House,Leer,90
Old Yard,Emden,120
""",
    "owner": """owner_id,name,town
O1,Hanna Berg,Leer
O2,Tomas Lie,Emden
O3,Jonas Vik,Leer
""",
    "dog": """id,dog,breed,weight_kg,owner,kennel,chip,since
D1,Rex,Labrador,32.5,O1,Hill House,yes,2019
D2,Bella,Poodle,8.2,O2,Old Yard,yes,2020
D3,Moss,Labrador,27,O2,Hill House,no,2022
""",
    "walk": """walk,dog,start,vaccinated
W1,D1,2024-05-01 20:00,yes
W2,D2,2024-05-01 18:30,no
W3,D3,2024-05-04 21:15,yes
""",
    "meal": """meal,food,grams,dog,author name,author city
M1,rice,200,D1,Ada Holm,Leer
M2,beef,350,D1,Ada Holm,Leer
M3,rice,100,D2,Bo Rask,Emden
""",
}


@pytest.fixture(scope="module")
def hydra(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder = tmp_path_factory.mktemp("hydra")
    yield from loaded(folder, {f"{name}.csv": text for name, text in TABLES.items()}, together="kennels")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("What is the heaviest Labrador?", {"Rex"}),
        ("Who has no dog?", {"Jonas Vik"}),
        ("Where does the owner of Rex live?", {"Leer"}),
        ("Which walks start after 20:00?", {"W3"}),
        ("Which walks start before 2024-05-01 19:00?", {"W2"}),
        ("How much does Hill House cost a month?", {"90"}),
        ("How much rice is there?", {"300"}),
        ("Which authors are in Emden?", {"Bo Rask"}),
        ("Is Rex newer than Moss?", {"no"}),
        ("Is Moss newer than Rex?", {"yes"}),
        ("Which dog does nobody own?", set()),
        ("How much does Hill House cost a year?", set()),
        ("Which dogs have the same owner?", set()),
    ],
)
def test_question_is_answered_or_refused(hydra: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in hydra.ask(question).answers} == answers


def test_other_period_is_named(hydra: Hydra) -> None:
    missing = hydra.ask("How much does Hill House cost a year?").missing

    assert missing == "“monthly price” is per month, and the question asks for an amount per year"


GIGS = """gig,band,start,tickets,sold_out
G1,Red Kites,2024-05-01 20:00,120,yes
G2,The Owls,2024-05-01 18:30,80,no
G3,Red Kites,2024-05-04 21:15,95,yes
G4,Marla Dee,2024-05-09 19:00,60,no
"""


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Which gigs start after 20:00?", {"G3"}),
        ("Which gigs were after 2024-05-04?", {"G4"}),
        ("Which gig is the earliest?", {"G2"}),
        ("What is the third biggest gig by tickets?", {"G2"}),
        ("Which is the third gig?", set()),
        ("Whose gig sold out?", set()),
    ],
)
def test_moments_of_a_table_that_is_loaded_alone(
    tmp_path_factory: pytest.TempPathFactory, question: str, answers: set[str]
) -> None:
    for gigs in loaded(tmp_path_factory.mktemp("gigs"), {"gigs.csv": GIGS}):
        assert {a.name for a in gigs.ask(question, keep=False).answers} == answers


def test_flag_that_says_no_is_not_answered_by_yes(tmp_path_factory: pytest.TempPathFactory) -> None:
    recipes = '[{"title": "Ramen", "vegan": false}, {"title": "Dal", "vegan": true}]'
    for kitchen in loaded(tmp_path_factory.mktemp("kitchen"), {"recipes.json": recipes}):
        said = {q: [a.name for a in kitchen.ask(f"Is {q} vegan?", keep=False).answers] for q in ("Ramen", "Dal")}
        assert said in ({"Ramen": ["no"], "Dal": ["yes"]}, {"Ramen": ["false"], "Dal": ["true"]})
