"""Orders whose lines are a table of their own: what no table states together is not answered by something else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

FILES = {
    "orders.csv": (
        "Order no,Client,Ordered on,Delivered,Status\n1001,Café Lumen,2025-01-03,2025-01-05,paid\n"
        "1002,Hotel Astra,2025-01-04,2025-01-07,paid\n1003,School Noord,2025-02-02,2025-02-04,paid\n"
        "1004,Café Lumen,2025-03-01,2025-03-04,open\n1005,Hotel Astra,2025-03-15,,open\n"
    ),
    "lines.csv": (
        "order,product,pieces\n1001,croissant,40\n1001,rye bread,10\n1002,croissant,60\n1003,white roll,120\n"
        "1004,croissant,45\n1005,rye bread,30\n"
    ),
    "products.csv": "product,kind,price\ncroissant,pastry,1.20\nrye bread,bread,4.50\nwhite roll,bread,0.40\n",
    "clients.csv": "client,district\nCafé Lumen,Harbour\nHotel Astra,Centre\nSchool Noord,North\nBistro Pim,Centre\n",
}


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("bakery"), FILES, together="bakery")


def test_two_groups_that_no_table_has_together_are_not_called_sure(bakery: Hydra) -> None:
    found = bakery.ask("How many pieces per client and product?", keep=False)
    assert not found.answers or found.verdict == "partial"


def test_a_day_or_a_status_is_not_what_was_ordered(bakery: Hydra) -> None:
    found = bakery.ask("What was ordered in February 2025?", keep=False)
    assert {a.name for a in found.answers} in (set(), {"white roll"})


def test_the_last_to_order_has_the_latest_day_of_an_order(bakery: Hydra) -> None:
    assert [a.name for a in bakery.ask("Which client was the last to order?", keep=False).answers] == ["Hotel Astra"]
