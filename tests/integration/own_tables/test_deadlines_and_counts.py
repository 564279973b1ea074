"""Dates that were promised and kept, counts that cells state, and things that nobody did, over several tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hydra_kg import Hydra

TABLES = {
    "orders.csv": """order_no,item,customer,ordered_on,promised_on,delivered_on
F-101,Windsor chair,Mark Bos,2021-01-10,2021-02-20,2021-02-27
F-102,Oak table,Elsa Kok,2021-01-12,2021-03-01,2021-02-25
F-103,Desk lamp,Joris Vos,2021-02-02,2021-02-16,2021-02-16
F-104,Ladder chair,Elsa Kok,2021-02-20,2021-04-01,2021-04-16
F-105,Pine table,Mark Bos,2021-03-03,2021-04-20,
F-106,Floor lamp,Tess Mol,2021-03-15,2021-04-01,2021-03-28
F-107,Windsor chair,Anne Pot,2021-10-01,2999-02-01,
F-108,Desk lamp,Anne Pot,2021-04-02,2021-04-30,2021-05-02
""",
    "items.csv": """name,kind,wood,in stock
Windsor chair,chair,ash,4
Ladder chair,chair,beech,3
Oak table,table,oak,1
Pine table,table,pine,2
Desk lamp,lamp,walnut,10
Floor lamp,lamp,ash,6
""",
    "customers.csv": """name,city
Mark Bos,Leiden
Elsa Kok,Delft
Joris Vos,Leiden
Tess Mol,Gouda
Anne Pot,Delft
""",
    "albums.csv": """title,year,tracks
Low Tide,2012,11
Paper Boats,2016,9
Harbour,2018,8
Seed,2021,10
Root,2022,12
""",
    "repairs.csv": """job_no,owner,fault,received,promised,collected
J-01,Mark Bos,flat tyre,2021-03-02,2021-03-09,2021-03-09
J-02,tess mol,bent wheel,2021-03-04,2021-03-06,2021-03-11
J-03,Tess Mol,flat tyre,2021-04-01,2021-04-08,2021-04-06
J-04,Anne Pot,flat tyre,2021-05-15,2021-05-18,
J-05,Mark Bos,worn brakes,2021-06-01,2021-06-08,2021-06-08
""",
    "invoices.csv": """invoice,customer,amount,due_date,paid_on
R-1,Mark Bos,240,2021-03-31,2021-04-12
R-2,Elsa Kok,900,2021-03-31,2021-03-20
R-3,Joris Vos,75,2021-03-15,2021-03-15
R-4,Elsa Kok,180,2021-05-15,
""",
}


@pytest.fixture(scope="module")
def hydra(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder: Path = tmp_path_factory.mktemp("workshop") / "workshop"
    folder.mkdir()
    for name, text in TABLES.items():
        (folder / name).write_text(text, encoding="utf-8")
    with Hydra(store=folder.parent / "workshop.db", agent="offline") as hydra:
        hydra.load(folder)
        yield hydra


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Which orders were delivered late?", {"F-101", "F-104", "F-108"}),
        ("Which orders are overdue?", {"F-105"}),
        ("Which orders are late?", {"F-101", "F-104", "F-105", "F-108"}),
        ("Which orders were delivered early?", {"F-102", "F-106"}),
        ("Which orders were delivered on time?", {"F-102", "F-103", "F-106"}),
        ("Which orders were not delivered on time?", {"F-101", "F-104", "F-108"}),
        ("How many days late was F-104 delivered?", {"15"}),
        ("How many days early was F-102 delivered?", {"4"}),
        ("Was F-101 delivered late?", {"yes"}),
        ("Was F-103 late?", {"no"}),
        ("What is the promised date of F-105?", {"2021-04-20"}),
        ("Which invoices were paid late?", {"R-1"}),
        ("Which jobs were collected late?", {"J-02"}),
        ("Which jobs were collected early?", {"J-03"}),
        ("Which repairs are overdue?", {"J-04"}),
        ("Which customer has an overdue invoice?", {"Elsa Kok"}),
        ("Who paid an invoice late?", {"Mark Bos"}),
    ],
)
def test_promised_and_kept_dates_are_compared(hydra: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in hydra.ask(question).answers} == answers


def test_today_is_part_of_the_working(hydra: Hydra) -> None:
    assert any("today" in step.text for step in hydra.ask("Which orders are overdue?").steps)


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Who has never ordered a chair?", {"Joris Vos", "Tess Mol"}),
        ("Who has not ordered a table?", {"Joris Vos", "Tess Mol", "Anne Pot"}),
        ("How many customers from Leiden ordered a table?", {"1"}),
        ("Which customers ordered both a chair and a lamp?", {"Anne Pot"}),
        ("Which customers ordered a chair and a lamp?", {"Anne Pot"}),
        ("How many repairs did Tess Mol have?", {"2"}),
        ("How many customers from Gouda ordered a chair?", {"0"}),
    ],
)
def test_conditions_hold_across_tables(hydra: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in hydra.ask(question).answers} == answers


@pytest.mark.parametrize(
    "question, answers",
    [
        ("How many lamps do we have in stock?", {"16"}),
        ("How many chairs are in stock?", {"7"}),
        ("How many orders are there?", {"8"}),
        ("How many different items are there?", {"6"}),
        ("How many tracks does Paper Boats have?", {"9"}),
    ],
)
def test_a_stated_count_is_added_up(hydra: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in hydra.ask(question).answers} == answers
