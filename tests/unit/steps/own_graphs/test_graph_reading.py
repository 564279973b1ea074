"""The first question over a large table reads the rows it answers from, and makes no object of any other."""

from __future__ import annotations

from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.execution.own_graph import Columns
from hydra_kg.stores.embedded.reads import entities as entities_module
from hydra_kg.text.text_column import TextColumn

pytestmark = pytest.mark.slow

ROWS, TOWNS = 2_000, 40


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("orders")
    rows = (f"N{n:05d},Person {n * 7 % 900},{n % 97}.5,Town {n % TOWNS}" for n in range(ROWS))
    (folder / "orders.csv").write_text("\n".join(["order,customer,price,city", *rows]), encoding="utf-8")
    with Hydra(store=folder / "store", agent="offline") as hydra:
        hydra.load(folder / "orders.csv")
    return folder / "store"


def test_a_question_about_one_column_makes_few_objects(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entities, texts, turned = [0], [0], [0]
    make, decode, back = entities_module._make_entities, TextColumn.__getitem__, Columns.back.func

    def counted_make(reader: object, classes: object) -> object:
        entities[0] += len(classes)  # type: ignore[arg-type]
        return make(reader, classes)  # type: ignore[arg-type]

    def counted_decode(column: TextColumn, at: int) -> object:
        texts[0] += 1
        return decode(column, at)

    def counted_back(columns: Columns) -> object:
        turned[0] += 1
        return back(columns)

    monkeypatch.setattr(entities_module, "_make_entities", counted_make)
    monkeypatch.setattr(TextColumn, "__getitem__", counted_decode)
    monkeypatch.setattr(Columns.back, "func", counted_back)
    with Hydra(store=store, agent="offline") as hydra:
        answer = hydra.ask("How many orders are from Town 17?", keep=False)
    assert [a.name for a in answer.answers] == [str(ROWS // TOWNS)]
    assert entities[0] <= 3 * ROWS // TOWNS  # those of the answer
    assert texts[0] <= ROWS // 2  # of 2,000 orders, 900 people, 97 prices and 40 towns
    assert turned[0] <= 3  # one for each column
