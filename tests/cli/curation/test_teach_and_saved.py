"""``hydra-kg teach`` and ``saved``: what was taught is used at once; saved answers are tried before a change counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Call = Callable[..., Result]


@pytest.fixture
def shop(call: Call, tmp_path: Path) -> Path:
    """A store with one table of shops."""
    table = tmp_path / "shops.csv"
    table.write_text("shop,town,revenue\nAurora,Larkwood,120\nBoreas,Elmford,90\n")
    call("load", table, "--entity", "shop", "--source", "shops", "--store", tmp_path / "store", "--yes")
    return tmp_path / "store"


def ask(call: Call, store: Path, question: str) -> dict[str, object]:
    doc: dict[str, object] = json.loads(call("ask", question, "--store", store, "--json", code=None).stdout)
    return doc


def test_a_word_is_taught_used_said_and_undone(call: Call, shop: Path):
    assert ask(call, shop, "What is the takings of Aurora?")["abstained"]
    taught = call("teach", "takings", "revenue", "--author", "Ana", "--store", shop).output
    assert "“takings” means “revenue” from now on." in taught
    doc = ask(call, shop, "What is the takings of Aurora?")
    assert (doc["answer_text"], doc["understood_as"]) == ("120", "What is the revenue of Aurora?")
    assert "taught by Ana on" in str(doc["notes"])
    assert doc["manifest"]["teachings"][0]["phrase"] == "takings"  # type: ignore[index]
    assert "Ana" in call("teach", "--store", shop).output
    call("teach", "--undo", "1", "--store", shop)
    assert ask(call, shop, "What is the takings of Aurora?")["abstained"]


def test_a_name_is_taught_by_id_and_unknown_ids_are_refused(call: Call, shop: Path):
    found = ask(call, shop, "What is the revenue of Boreas?")
    key = found["mentions"][0]["chosen"]["id"]  # type: ignore[index]
    call("teach", "the corner shop", "--entity", key, "--store", shop)
    assert ask(call, shop, "What is the revenue of the corner shop?")["answer_text"] == "90"
    assert "No ready load knows Q999." in call("teach", "x", "--entity", "Q999", "--store", shop, code=1).stderr
    call("teach", "x", "--store", shop, code=2)


@pytest.mark.slow
@pytest.mark.parametrize("as_feed", [True, False])
def test_a_formula_is_taught_used_and_undone(call: Call, tmp_path: Path, as_feed: bool):
    (tmp_path / "boats.csv").write_text("boat,price,length\nMew,3000,4\nTern,9000,10\nGull,8000,16\n")
    store, dear = tmp_path / "store", "Which boat has the highest price per metre?"
    call("load", tmp_path / "boats.csv", *(("--as", "feed") if as_feed else ()), "--store", store, "--yes")
    assert ask(call, store, dear)["abstained"]
    call("teach", "price per metre", "= price / length", "--author", "Ana", "--store", store)
    assert ask(call, store, dear)["answer_text"] == "Tern"
    assert "= price / length" in call("teach", "--store", store).output
    refused = call("teach", "value", "= price / weight", "--store", store, code=2)
    assert "No loaded table has the columns of this formula" in refused.stderr
    call("teach", "--undo", "1", "--store", store)
    assert ask(call, store, dear)["abstained"]
    assert "price per metre" not in call("teach", "--store", store).output


def test_a_held_load_shows_which_saved_answers_would_change_before_it_counts(call: Call, shop: Path, tmp_path: Path):
    for question in ("What is the revenue of Aurora?", "What is the revenue of Boreas?"):
        ask(call, shop, question)
        call("saved", "add", "last", "--store", shop)
    (tmp_path / "shops.csv").write_text("shop,town,revenue\nAurora,Larkwood,150\nBoreas,Elmford,90\n")
    order = (
        "load",
        tmp_path / "shops.csv",
        "--entity",
        "shop",
        "--source",
        "shops",
        "--store",
        shop,
        "--yes",
        "--hold",
    )
    assert "1 of 2 saved answers would change" in call(*order).stderr
    doc = json.loads(call("saved", "check", "--flip", "shops", "--json", "--store", shop, code=1).stdout)
    assert [q["now"]["answer_text"] for q in doc["questions"]] == ["150", "90"]
    assert ask(call, shop, "What is the revenue of Aurora?")["answer_text"] == "120"  # nothing changed yet
    assert sorted(p.name for p in tmp_path.iterdir() if "preview" in p.name) == []

    assert "1 of 2" in call("sources", "flip", "shops", "--store", shop, input="y\n").stderr
    assert "1 of 2 saved answers changed" in call("saved", "check", "--store", shop, code=1).output
    call("saved", "check", "--accept", "--store", shop)
    assert "0 of 2 saved answers changed" in call("saved", "check", "--store", shop).output


def test_a_source_that_is_tried_without_stays(call: Call, shop: Path):
    ask(call, shop, "What is the revenue of Aurora?")
    call("saved", "add", "--store", shop)
    assert (
        "1 of 1 saved answers would change" in call("saved", "check", "--drop", "shops", "--store", shop, code=1).output
    )
    assert (
        "1 of 1 saved answers would change"
        in call("sources", "drop", "shops", "--store", shop, input="n\n", code=None).stderr
    )
    assert ask(call, shop, "What is the revenue of Aurora?")["answer_text"] == "120"
    call("saved", "check", "--drop", "elms", "--store", shop, code=1)
    call("saved", "remove", "1", "--store", shop)
    assert "No question is saved" in call("saved", "list", "--store", shop).output
