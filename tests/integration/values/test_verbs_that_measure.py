"""Measures of subjects and of groups: boats that cost less are not those with cheap repairs, harbours by mean price."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

BOATS = """boat_id,name,type,harbour,price
1,Sea Breeze,sloop,Kiel,48500
2,Albatross,yacht,Kiel,412000
3,Petrel,ketch,Husum,54000
4,Northern Star,ketch,Husum,189000
5,Gull,dinghy,Kiel,3200
"""
REPAIRS = """repair_id,boat_id,date,cost
1,1,2025-01-02,800
2,2,2025-02-03,12000
3,4,2025-03-04,2500
4,5,2025-05-06,90
"""
KEGS = """Order No,Pub,Beer,Kegs,Price per Keg,Ordered On
1001,The Anchor,Dark Tide,4,120,2024-11-02
1002,The Anchor,Sun Ladder,6,95,2024-11-02
1003,Red Lion,Hop Garden,3,130,2024-11-05
1004,Station Bar,Sun Ladder,10,90,2024-12-01
1005,Red Lion,Copper Line,2,100,2024-12-03
1006,Station Bar,Winter Oak,1,180,2025-01-12
"""
PRODUCTS = "id,product,price\n1,Rose bunch,18.50\n2,Tulip bunch,9.00\n3,Fern pot,14.25\n4,Orchid,32.00\n"
CUSTOMERS = "id,name,city\n1,Lena Moss,Graz\n2,Omar Said,Linz\n3,Ines Vidal,Graz\n"
SALES = """id,customer_id,product_id,quantity,date
1,1,1,2,2024-02-13
2,1,4,1,2024-02-14
3,2,2,10,2024-02-14
4,3,1,1,2024-03-01
5,2,3,3,2024-03-08
"""
FLOWERS = {"products.csv": PRODUCTS, "customers.csv": CUSTOMERS, "sales.csv": SALES}
HOURS = """Entry,Employee,Project,Date,Hours,Billable
1,Nora Quist,Harbour App,2024-05-02,6.5,yes
2,Nora Quist,Museum Site,2024-05-03,3,no
3,Dev Rao,Harbour App,2024-05-02,8,yes
4,Dev Rao,Harbour App,2024-05-06,4,yes
5,Lia Costa,Museum Site,2024-06-04,2,no
"""
STAFF = "Name,Role,Hourly Rate (EUR)\nNora Quist,Designer,85\nDev Rao,Developer,95\nLia Costa,Developer,90\n"
STOCK = """SKU,Product,Unit Price (EUR),Stock
P-1,Rye Flour,1.20,340
P-2,Sardines,2.10,410
P-3,Saffron,19.00,12
"""
Ask = Callable[[str], set[str]]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    folder = tmp_path_factory.mktemp("harbour") / "harbour"
    folder.mkdir()
    (folder / "boats.csv").write_text(BOATS)
    (folder / "repairs.csv").write_text(REPAIRS)
    with Hydra(store=folder.parent / "store", agent="offline") as hydra:
        hydra.load(folder)
        yield lambda question: {a.name for a in hydra.ask(question, keep=False).answers}


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Which boats in Kiel cost less than 40000?", {"Gull"}),
        ("Which boats cost less than 40000?", {"Gull"}),
        ("Which ketches in Husum cost less than 60000?", {"Petrel"}),
        ("Which boats have repairs that cost less than 1000?", {"Sea Breeze", "Gull"}),
        ("Which boats had a repair cost below 1000?", {"Sea Breeze", "Gull"}),
    ],
)
def test_what_costs_is_the_subject_of_the_verb(ask: Ask, question: str, answers: set[str]) -> None:
    assert ask(question) == answers


@pytest.mark.parametrize(
    "question, answers",
    [
        ("Which harbours have an average price above 130000?", {"Kiel"}),
        ("Which types have an average boat price of at most 50000?", {"sloop", "dinghy"}),
        ("Which harbours have repairs with an average cost of less than 3000?", {"Husum"}),
        ("Which type has a total price of more than 200000?", {"yacht", "ketch"}),
        ("How many types have an average price above 100000?", {"2"}),
        ("How many harbours have more than two boats?", {"1"}),  # not the number of its boats
        ("How many types have at least two boats?", {"1"}),
    ],
)
def test_groups_are_compared_by_what_is_computed_of_their_rows(ask: Ask, question: str, answers: set[str]) -> None:
    assert ask(question) == answers


@pytest.fixture(scope="module")
def brewery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """Yield a store of orders with a number of kegs and a price per keg."""
    yield from loaded(tmp_path_factory.mktemp("brewery"), {"orders.csv": KEGS})


@pytest.fixture(scope="module")
def florist(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    """Yield a store of sales whose products have a price."""
    yield from loaded(tmp_path_factory.mktemp("florist"), FLOWERS, together="florist")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("What is the total of all orders?", {"2720"}),
        ("What is the total revenue?", {"2720"}),
        ("How much did The Anchor pay?", {"1050"}),
        ("What is the value of order 1003?", {"390"}),
        ("Which order was the most expensive?", {"1004"}),
        ("What is the revenue per pub?", {"The Anchor: 1050", "Red Lion: 590", "Station Bar: 1080"}),
        ("What is the highest price per keg?", {"180"}),
        ("How many kegs did The Anchor order?", {"10"}),
        ("Which pub ordered the most kegs?", {"Station Bar"}),  # 11 in two orders
    ],
)
def test_rows_come_to_their_quantity_times_the_price_for_one(brewery: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in brewery.ask(question, keep=False).answers} == answers


@pytest.mark.parametrize(
    "question, answers",
    [
        ("How much did Lena Moss spend?", {"69"}),
        ("Which customer spent the most?", {"Omar Said"}),
        ("Which customers spent more than 70 in total?", {"Omar Said"}),
        ("What is the revenue per city?", {"Graz: 87.5", "Linz: 132.75"}),
        ("What is the total revenue in March 2024?", {"61.25"}),
        ("How much does the orchid cost?", {"32"}),
        ("What is the most expensive product?", {"Orchid"}),
        ("What is the average price of the products?", {"18.4375"}),
        ("How many roses were sold?", {"3"}),
    ],
)
def test_the_price_may_be_that_of_the_product_that_was_sold(florist: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in florist.ask(question, keep=False).answers} == answers


@pytest.mark.parametrize(
    "question, answers",
    [
        ("What is the value of the stock of sardines?", {"861"}),
        ("What is the total value of the stock?", {"1497"}),
        ("What does rye flour cost?", {"1.20"}),
        ("How much did we pay for rye flour?", {"1.2"}),
    ],
)
def test_what_is_left_has_a_value_and_products_have_a_price(tmp_path: Path, question: str, answers: set[str]) -> None:
    for shop in loaded(tmp_path, {"products.csv": STOCK}):
        assert {a.name for a in shop.ask(question, keep=False).answers} == answers


@pytest.mark.parametrize(
    "question, answers",
    [
        ("How much did Dev Rao earn?", {"1140"}),
        ("Who earned the most in May 2024?", {"Dev Rao"}),
        ("How much is Nora Quist paid per hour?", set()),  # perhaps 85: not what she was paid in all
        ("What is the average hourly rate of developers?", {"92.5"}),
        ("How many billable hours were there in May 2024?", {"18.5"}),
        ("How many hours were not billable?", {"5"}),
        ("Which entries have an entry number above 4?", {"5"}),
    ],
)
def test_hours_are_paid_at_the_rate_of_who_worked_them(tmp_path: Path, question: str, answers: set[str]) -> None:
    for studio in loaded(tmp_path, {"timesheets.csv": HOURS, "staff.csv": STAFF}, together="studio"):
        assert {a.name for a in studio.ask(question, keep=False).answers} == answers


def test_what_rows_come_to_is_not_known_if_something_is_taken_off(tmp_path: Path) -> None:
    heading, *rows = KEGS.splitlines()
    reduced = "\n".join([f"{heading},Discount", *(f"{row},{n * 5}" for n, row in enumerate(rows))])
    for shop in loaded(tmp_path, {"orders.csv": reduced}):
        asked = shop.ask("What is the total revenue?", keep=False)
        assert not asked.answers
