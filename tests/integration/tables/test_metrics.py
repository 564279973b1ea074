"""A metric that feeds.yaml defines by a formula can be asked for like a column."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.errors import UsageError

GOODS = """code,article,list price,purchase cost
K1,Kettle,"1,250.00 €",1000 €
L2,Lamp,80 €,20 €
M3,Mug,10 €,8 €
N4,Notebook,5 €,
"""


def _described(folder: Path, formula: str) -> Path:
    file = folder / "feeds.yaml"
    file.write_text(f"feeds:\n  shop:\n    tables:\n      goods:\n        metrics:\n          margin: {formula}\n")
    return file


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder = tmp_path_factory.mktemp("metrics")
    (folder / "shop").mkdir()
    (folder / "shop" / "goods.csv").write_text(GOODS, encoding="utf-8")
    (folder / "shop" / "towns.csv").write_text("town,country\nYork,UK\nOslo,Norway\n", encoding="utf-8")
    feeds = _described(folder, "(list price − purchase cost) / list price")
    with Hydra(store=folder / "store", agent="offline") as hydra:
        hydra.load(folder / "shop", extra={"feeds": str(feeds)})
        yield hydra


@pytest.mark.parametrize(
    "question, answers",
    [
        ("What is the margin of the Lamp?", ["0.75"]),
        ("Which article has the highest margin?", ["Lamp"]),
        ("Which goods have a margin below 0.5?", ["Kettle", "Mug"]),
        ("What is the average margin of the goods?", ["0.3833333333"]),
    ],
)
def test_a_metric_is_asked_for_like_a_column(shop: Hydra, question: str, answers: list[str]) -> None:
    assert sorted(found.name for found in shop.ask(question, keep=False).answers) == answers


@pytest.mark.parametrize(
    "formula, problem",
    [
        ("list price - rent", "there is no column “rent”"),
        ("(list price", "a bracket is not closed"),
        ("list price +", "the end was not expected"),
        ("list price % 2", "cannot be read"),
    ],
)
def test_a_formula_that_cannot_be_used_is_refused(tmp_path: Path, formula: str, problem: str) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "goods.csv").write_text(GOODS, encoding="utf-8")
    (tmp_path / "shop" / "towns.csv").write_text("town,country\nYork,UK\nOslo,Norway\n", encoding="utf-8")
    feeds = _described(tmp_path, formula)
    with Hydra(store=tmp_path / "store", agent="offline") as hydra, pytest.raises(UsageError, match=problem):
        hydra.load(tmp_path / "shop", extra={"feeds": str(feeds)})
