"""Questions over small tables as people have them: what rows are called, what holds when, who gave what to whom."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.answer import Answer

TABLES = {
    "bees.csv": """Apiary;Honey (kg);Keeper
Fen Edge;41,5;Ola Brandt
Mill Race;18,25;Per Sand
Top Wood;77,0;Ola Brandt
Low Marsh;9,75;n/a
TOTAL;146,5;
""",
    "catches.csv": """Village,Catches,Boats
Ness,410,3
Vik,95,2
Hamn,1210,7
""",
    "kiosks.csv": """# exported 2026-02-11 by till 4
kioskId;Operator;Quarter
K-101;Runa Holm;Eastgate
K-102;Siv Aune;Harbour
K-103;Runa Holm;Old Town
""",
    "repairs.csv": """Job ,Price ,Done by
New sail,1240,Ivar
Keel bolts,310,Tuva
Rigging,310,Ivar
Engine,2890,Odd
Paint,95,Tuva
""",
    "teams.csv": "team,members\nRed,14\nBlue,9\nGreen,11\n",
    "posts.csv": """post,holder,start_date,end_date
harbour master,Gro Lien,2011-04-01,2018-12-31
harbour master,Knut Vik,2019-01-01,
pilot,Liv Sund,2014-06-01,2021-05-31
pilot,Arne Tofte,2021-06-01,
diver,Mia Krog,2020-01-15,2023-03-31
""",
    "depots/depots.csv": "depot,manager\nAlm,Runa Holm\nBirk,Siv Aune\nCeder,Per Sand\nLind,Ola Brandt\n",
    "depots/shipments.csv": """shipment,from_depot,to_depot,crates
S1,Alm,Birk,40
S2,Birk,Ceder,15
S3,Lind,Birk,25
S4,Alm,Lind,10
S5,Ceder,Alm,5
""",
}
QUESTIONS = [
    ("bees.csv", "Which apiary has the most honey?", "Top Wood"),
    ("bees.csv", "How many apiaries are there?", "4"),
    ("catches.csv", "Which village has the most catches?", "Hamn"),
    ("catches.csv", "How many villages are there?", "3"),
    ("catches.csv", "How many catches are there?", "1715"),
    ("kiosks.csv", "Who operates the kiosk in Eastgate?", "Runa Holm"),
    ("kiosks.csv", "Who runs the kiosk in Harbour?", "Siv Aune"),
    ("repairs.csv", "What was the total of the 2 most expensive repairs?", "4130"),
    ("repairs.csv", "What is the sum of the 2 lowest prices?", "405"),
    ("repairs.csv", "What is the average price of the 2 cheapest jobs?", "202.5"),
    ("repairs.csv", "How much did the engine cost?", "2890"),
    ("posts.csv", "Who is the harbour master now?", "Knut Vik"),
    ("posts.csv", "Who is currently the pilot?", "Arne Tofte"),
    ("posts.csv", "Who was the harbour master in 2015?", "Gro Lien"),
    ("posts.csv", "Who was the pilot in March 2021?", "Liv Sund"),
    ("depots", "Which depots sent crates to Birk?", "Alm, Lind"),
    ("depots", "To which depots did Birk ship crates?", "Ceder"),
    ("depots", "Which depot did Ceder ship to?", "Alm"),
    ("depots", "How many crates were shipped to Birk?", "65"),
    ("depots", "How many crates did Alm ship?", "50"),
    ("depots", "How many shipments went from Alm to Lind?", "1"),
]


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for name, text in TABLES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")

    @cache
    def store(name: str) -> Path:
        place = folder / f"store-{name}"
        with Hydra(store=place, agent="offline") as hydra:
            hydra.load(folder / name)
        return place

    def answer(name: str, question: str) -> Answer:
        with Hydra(store=store(name), agent="offline") as hydra:
            return hydra.ask(question, keep=False)

    return answer


@pytest.mark.parametrize("name, question, expected", QUESTIONS, ids=lambda part: part if " " in part else "")
def test_the_answer_is_what_the_rows_state(ask, name: str, question: str, expected: str) -> None:
    found = ask(name, question)
    assert sorted(value.name for value in found.answers) == sorted(expected.split(", "))


@pytest.mark.parametrize(
    "name, question",
    [
        ("bees.csv", "Who keeps Low Marsh?"),
        ("repairs.csv", "How much did Tuva earn?"),
        ("teams.csv", "How much did Red get?"),
    ],
)
def test_what_no_row_states_is_not_answered(ask, name: str, question: str) -> None:
    assert ask(name, question).answers == ()


def test_a_row_that_holds_today_is_no_answer_in_doubt(ask) -> None:
    assert "now" not in " ".join(ask("posts.csv", "Who is the harbour master now?").unchecked)
