"""Everyday questions about logs whose rows have no names: who, what they said, how long, on average."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from hydra_kg import Hydra
from hydra_kg.cli.main import main
from hydra_kg.serialise import answer_json

PETS = """name,species,birth date,weight (kg),neutered,owner
Rex,dog,2018-04-02,14.5,yes,Karen Olsen
Bella,dog,2020-09-15,7.2,no,Piet de Vries
Misty,cat,2016-01-30,4.1,yes,Karen Olsen
Bruno,dog,2015-06-21,31,yes,Samir Khan
"""
VISITS = """pet,date,vet,reason,fee,duration min,damage,notes
Rex,2024-01-10,Dr. Hall,vaccination,45.00,15,none,
Misty,2024-01-22,Dr. Nowak,dental cleaning,120.00,60,none,Two teeth removed
Bella,2024-02-03,Dr. Hall,vaccination,45.00,20,table leg,
Rex,2024-03-18,Dr. Nowak,limping,80.50,30,none,Rest for two weeks
Bruno,2024-04-02,Dr. Nowak,surgery,640.00,180,chewed cable,Stitches out in April
Bruno,2024-05-30,Dr. Hall,check-up,,30,none,Healing well
"""
MEALS = """Meal,Prep minutes,Portion kg,Price per day,Member only
Porridge,10,0.4,12,yes
Stew,95,1.5,30,no
Tomato,25,0.6,18,yes
"""
DRIVERS = "driver,vehicle,hired\nPavel Novak,van,2019-05-01\nMei Lin,van,2020-07-20\nTomas Ruiz,bike,2023-02-01\n"
TRIPS = """customer,driver,date,distance (km),late by min,attended,status
Bakery Huber,Pavel Novak,2024-05-02,8,0,yes,delivered
Bakery Huber,Tomas Ruiz,2024-05-03,7,12,no,delivered
Cafe Luna,Mei Lin,2024-05-02,4,45,yes,delivered
Cafe Luna,Mei Lin,2024-05-13,30,20,no,cancelled
"""
HUTS = """hut,altitude m,beds,price per night,meals
Alpenrose,1870,42,38,yes
Steinbock,2450,18,32,no
Edelweiss,2105,60,45,yes
"""
STAYS = """hiker,hut,arrived,nights,review
Omar Vidal,Alpenrose,2024-06-10,2,Great soup
Ines Costa,Steinbock,2024-06-28,1,Cold but cosy
Sofia Lindgren,Edelweiss,2024-07-03,9,Best beds ever
Omar Vidal,Edelweiss,2024-08-11,1,
Ines Costa,Alpenrose,2024-08-12,2,
Sofia Lindgren,Alpenrose,2024-08-15,1,Friendly warden
"""
HUT_ANSWERS = [
    ("Which huts serve meals?", {"Alpenrose", "Edelweiss"}),
    ("Which huts cost less than 35 a night?", {"Steinbock"}),
    ("Which stays lasted more than a week?", {"stay: Edelweiss, Sofia Lindgren"}),
    ("Which reviews mention beds?", set()),
]
TRIP_ANSWERS = [
    ("Who was the first driver to be hired?", {"Pavel Novak"}),
    ("Which trips were more than half an hour late?", {"trip: Mei Lin, 2024-05-02"}),
    ("Which driver had the longest trips on average?", {"Mei Lin"}),
    ("How many kilometres did Mei Lin drive?", {"34"}),
    ("How many trips did Mei Lin attend?", {"1"}),
    ("Which trips were sabotaged?", set()),
]
ANSWERS = [
    ("Which visits lasted more than an hour?", {"visit: Bruno, Dr. Nowak"}),
    ("Which visits lasted half an hour?", {"visit: Rex, Dr. Nowak", "visit: Bruno, Dr. Hall"}),
    ("Which visit took the longest?", {"visit: Bruno, Dr. Nowak"}),
    ("Which pets were vaccinated?", {"Rex", "Bella"}),
    ("Who visited Misty?", {"Dr. Nowak"}),
    ("What did Dr. Nowak say about Misty?", {"Two teeth removed"}),
    ("How much did Samir Khan pay in total?", {"640"}),
    ("Which vet has the highest average fee?", {"Dr. Nowak"}),
    ("Which owner has the highest fee on average?", {"Samir Khan"}),
    ("Which pets were neutered?", {"Rex", "Misty", "Bruno"}),
]
MEAL_ANSWERS = [
    ("Which meal takes the longest to prepare?", {"Stew"}),
    ("Which meals take less than half an hour?", {"Porridge", "Tomato"}),
    ("Which meals cost less than 20 a day?", {"Porridge", "Tomato"}),
    ("How much do tomatoes cost?", {"18"}),
]
Ask = Callable[[str], set[str]]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clinic")
    (folder / "clinic").mkdir()
    (folder / "clinic" / "pets.csv").write_text(PETS)
    (folder / "clinic" / "visits.csv").write_text(VISITS)
    with Hydra(store=folder / "store", agent="offline") as hydra:
        hydra.load(folder / "clinic")
    return folder / "store"


@pytest.fixture(scope="module")
def ask(clinic: Path) -> Iterator[Ask]:
    with Hydra(store=clinic, agent="offline") as hydra:
        yield lambda question: {a.name for a in hydra.ask(question, keep=False).answers}


@pytest.mark.parametrize("question, answers", ANSWERS)
def test_everyday_questions_about_a_log(ask: Ask, question: str, answers: set[str]) -> None:
    assert ask(question) == answers


@pytest.mark.parametrize("question, answers", MEAL_ANSWERS)
def test_amounts_in_words(tmp_path_factory, question, answers):
    folder = tmp_path_factory.mktemp("meals")
    (folder / "meals.csv").write_text(MEALS)
    with Hydra(store=folder / "store", agent="offline") as hydra:
        hydra.load(folder / "meals.csv")
        assert {a.name for a in hydra.ask(question, keep=False).answers} == answers


@pytest.mark.parametrize("question, answers", TRIP_ANSWERS)
def test_what_was_first_late_attended_or_is_not_known(tmp_path_factory, question, answers):
    folder = tmp_path_factory.mktemp("fleet") / "fleet"
    folder.mkdir()
    (folder / "drivers.csv").write_text(DRIVERS)
    (folder / "trips.csv").write_text(TRIPS)
    with Hydra(store=folder.parent / "store", agent="offline") as hydra:
        hydra.load(folder)
        assert {a.name for a in hydra.ask(question, keep=False).answers} == answers


@pytest.mark.parametrize("question, answers", HUT_ANSWERS)
def test_verbs_before_a_column_and_prices_per_night(tmp_path_factory, question, answers):
    folder = tmp_path_factory.mktemp("trail") / "trail"
    folder.mkdir()
    (folder / "huts.csv").write_text(HUTS)
    (folder / "stays.csv").write_text(STAYS)
    with Hydra(store=folder.parent / "store", agent="offline") as hydra:
        hydra.load(folder)
        assert {a.name for a in hydra.ask(question, keep=False).answers} == answers


def test_rows_without_names_are_called_alike_in_the_terminal_and_in_json(clinic: Path) -> None:
    question = "Which visit took the longest?"
    with Hydra(store=clinic, agent="offline") as hydra:
        said = answer_json(hydra.ask(question, keep=False))
    assert [a["name"] for a in said["answers"]] == ["visit: Bruno, Dr. Nowak"]
    assert said["answer_text"] == "visit: Bruno, Dr. Nowak"
    words = ["ask", question, "--store", str(clinic), "--agent", "offline"]
    printed = json.loads(CliRunner().invoke(main, [*words, "--json"]).output)
    assert printed["answers"] == said["answers"]
    shown = CliRunner().invoke(main, words).output
    assert "visit: Bruno, Dr. Nowak" in shown
    assert "visit 6 — duration min" in shown, "rows on the way are named alike"


def test_a_column_of_damage_and_none_is_a_state(ask: Ask) -> None:
    assert ask("Which visits had no damage?") == {
        "visit: Rex, Dr. Hall",
        "visit: Misty, Dr. Nowak",
        "visit: Rex, Dr. Nowak",
        "visit: Bruno, Dr. Hall",
    }


def test_a_value_and_its_heading_are_no_name(tmp_path: Path) -> None:
    (tmp_path / "restaurants.csv").write_text(
        "name,food type,city\nchinese food,bakery,Albany\nGolden Wok,chinese,Albany\nLotus,chinese,Berkeley\n"
        "Chez Ann,french,Albany\n"
    )
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(tmp_path / "restaurants.csv")
        answer = hydra.ask("How many restaurants with chinese food are there?", keep=False)
        assert [a.name for a in answer.answers] == ["2"]


def test_months_are_not_compared_with_days(tmp_path: Path) -> None:
    (tmp_path / "rentals.csv").write_text("rental,customer,days\nR1,Ivy,3\nR2,Omar,40\nR3,Greta,7\n")
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        hydra.load(tmp_path / "rentals.csv")
        names = [
            {a.name for a in hydra.ask(question, keep=False).answers}
            for question in ("Which rentals lasted more than a week?", "Which rentals lasted more than a month?")
        ]
    assert names == [{"R2"}, set()]
