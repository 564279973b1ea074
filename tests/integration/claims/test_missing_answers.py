"""Why an answer does not name an expected one: the condition that it fails, or the sources that lack the fact."""

from __future__ import annotations

from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.checking.missing_answer import MissingAnswer, explain_missing
from hydra_kg.errors import NotFoundError
from hydra_kg.settings import Settings

SHOP = Path(__file__).resolve().parents[3] / "hydra_kg" / "sample" / "shop"


def explained(hydra: Hydra, question: str, expected: str) -> MissingAnswer:
    return explain_missing(hydra, hydra.ask(question, keep=False).to_dict(), expected)


@pytest.mark.parametrize(
    "question, expected, status, words",
    [
        ("Who directed Titanic?", "Kate Winslet", ["not met"], "James Cameron"),
        ("Which films directed by James Cameron were released before 1990?", "Titanic", ["met", "not met"], "1997"),
        ("Which countries border Germany but not France?", "Switzerland", ["met", "not met"], "not countries that bor"),
        ("Which countries border Germany but not France?", "Portugal", ["not met", "met"], "stated otherwise"),
        ("How many films did Christopher Nolan direct?", "Titanic", ["not met"], "James Cameron"),
    ],
)
def test_the_failed_condition_is_named(
    sample: Hydra, question: str, expected: str, status: list[str], words: str
) -> None:
    found = explained(sample, question, expected)
    assert not found.is_answer
    assert [c.status for c in found.conditions] == status
    assert words in found.summary


def test_an_answer_is_said_to_be_one(sample: Hydra) -> None:
    found = explained(sample, "Who directed Titanic?", "James Cameron")
    assert (found.is_answer, found.id, found.summary) == (True, "m.03_gd", "James Cameron is one of the answers.")
    assert dict(found.sources)["wikidata"] > 0


def test_an_unknown_name_is_refused(sample: Hydra) -> None:
    with pytest.raises(NotFoundError, match="No source knows"):
        explained(sample, "Who directed Titanic?", "Zyxthwaite Grobnik")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Hydra:
    hydra = Hydra(store=tmp_path_factory.mktemp("shop") / "store", settings=Settings())
    hydra.load(*sorted(SHOP.glob("*.csv")), source="shop")
    return hydra


@pytest.mark.parametrize(
    "question, expected, why",
    [
        ("Which products are made of steel?", "Harbour Lamp", "material: glass"),
        ("What is the most expensive product?", "Dusk Lamp", "Dusk Lamp: 64; Fathom Rug: 310"),
        ("Which products cost more than 100?", "Dusk Lamp", "price: 64"),
        ("How many products does Kestrel Glassworks supply?", "Dusk Lamp", "supplier: Brightwater Metal"),
    ],
)
def test_own_tables_show_the_value_that_fails(shop: Hydra, question: str, expected: str, why: str) -> None:
    found = explained(shop, question, expected)
    assert [(c.status, c.why) for c in found.conditions] == [("not met", why)]
