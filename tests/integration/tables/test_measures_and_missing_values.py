"""Superlatives and comparisons by unit and quantity, values that are missing, and answers with several columns."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hydra_kg import Hydra
from hydra_kg.serialise import answer_json

TABLES = {
    "kilns.csv": """kiln_id,name,owner,price,weight (kg),firing minutes,shelves,installed since,keeper_id
K1,Ember,Ola Brandt,4200,310,540,3,2011-05-02,P1
K2,Cinder,,2900,180,720,2,2003-09-14,P2
K3,Coal Bed,Siv Aune,,95,260,3,2019-01-30,P1
""",
    "keepers.csv": "keeper_id,name,joined\nP1,Ivar Moe,2010\nP2,Tuva Lie,2016\n",
    "moves.csv": """move_id,kiln_id,from_site,to_site,fee
V1,K1,Alm,Birk,300
V2,K1,Birk,Ceder,120
V3,K2,Ceder,Alm,80
""",
}
ANSWERS = [
    ("Which kiln takes the longest?", {"Cinder"}),
    ("Which kiln has been installed the longest?", {"Cinder"}),
    ("Which kilns weigh more than 200000 g?", {"Ember"}),
    ("Which kilns cost more than 3000 euros?", {"Ember"}),
    ("Which kilns have no owner?", {"Cinder"}),
    ("Which kilns have three shelves?", {"Ember", "Coal Bed"}),
    ("Show all kilns with 'firingMinutes' of 500 or higher.", {"Ember", "Cinder"}),
    ("From which site did K2 move?", {"Ceder"}),
    ("Which kilns moved from Alm?", {"Ember"}),
    ("Order all kilns by their weight.", {"Coal Bed", "Cinder", "Ember"}),
    ("How much did Ember cost?", {"4200"}),
    ("What are the fees of Ember in total?", {"420"}),
]
MISSING = [
    ("What is the price of Coal Bed?", "no value is stated for “price” of Coal Bed"),
    ("Who is the owner of Cinder?", "no value is stated for “owner” of Cinder"),
    ("Who owns the kiln with the most firing minutes?", "no value is stated for “owner” of Cinder"),
]


@pytest.fixture(scope="module")
def kilns(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder = tmp_path_factory.mktemp("kilns")
    for name, text in TABLES.items():
        (folder / name).write_text(text, encoding="utf-8")
    with Hydra(store=tmp_path_factory.mktemp("store") / "kilns.db", agent="offline") as hydra:
        hydra.load(folder)
        yield hydra


@pytest.mark.parametrize("question, answers", ANSWERS)
def test_questions_by_quantity(kilns, question, answers):
    assert {a.name for a in kilns.ask(question, keep=False).answers} == answers


@pytest.mark.parametrize("question, reason", MISSING)
def test_a_missing_value_is_named(kilns, question, reason):
    answer = kilns.ask(question, keep=False)
    assert not answer.answers
    assert answer.missing == reason


def test_several_columns_are_a_table_with_a_cell_for_each_column(kilns):
    table = answer_json(kilns.ask("Show the name, the owner and the price of each kiln", keep=False))["table"]
    assert table["columns"] == ["kiln", "owner", "price"]
    rows = [["Cinder", "", "2900"], ["Coal Bed", "Siv Aune", ""], ["Ember", "Ola Brandt", "4200"]]
    assert sorted(table["rows"]) == rows


def test_groups_are_a_table(kilns):
    table = answer_json(kilns.ask("What is the total fee for each kiln?", keep=False))["table"]
    assert sorted(table["rows"]) == [["Cinder", "80"], ["Ember", "420"]]


@pytest.mark.parametrize("question, without", [("total price for each keeper", 1), ("total fee for each kiln", 0)])
def test_groups_say_how_many_rows_have_no_value(kilns, question, without):
    steps = kilns.ask(f"What is the {question}?", keep=False).steps
    assert [s.text.endswith(f"; {without} without one") for s in steps] == [False] * (len(steps) - 1) + [without > 0]
