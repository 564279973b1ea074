"""Plural nouns that name a kind rather than one row, and rows of which only the key is stated."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.own_data import loaded

from hydra_kg import Hydra

FILES = {
    "publisher.csv": "id,name\n1,\n2,Acme\n3,Berg\n4,Corv\n",
    "book.csv": (
        "title,publisher_id,race,weight\nAlien,2,Human,100\nSalt,1,Alien,50\nRook,1,Alien,70\nDawn,,Human,80\n"
        "Fern,3,Human,60\n"
    ),
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    yield from loaded(tmp_path_factory.mktemp("shop"), FILES, together="shop")


@pytest.mark.parametrize(
    "question, answers",
    [
        ("How many books have no publisher?", {"3"}),
        ("Which books are without a publisher?", {"Salt", "Rook", "Dawn"}),
        ("Which books have a publisher?", {"Alien", "Fern"}),
        ("What is the average weight of the books that are aliens?", {"60"}),
    ],
)
def test_a_row_without_a_name_is_none_and_a_plural_is_a_kind(shop: Hydra, question: str, answers: set[str]) -> None:
    assert {a.name for a in shop.ask(question, keep=False).answers} == answers
