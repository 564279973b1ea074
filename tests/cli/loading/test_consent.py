"""Without a terminal nothing that needs consent is done unless ``--yes`` is given."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from helpers.programs import own_environment

from hydra_kg.util.package_data import find_content

Call = Callable[..., Result]

REFUSED = "Cannot ask for confirmation because there is no terminal."


def names(call: Call, store: Path) -> list[str]:
    return [load["name"] for load in json.loads(call("sources", "list", "--store", store, "--json").stdout)]


@pytest.fixture
def people(call: Call, tmp_path: Path) -> Path:
    """A store with the load ``people``."""
    (tmp_path / "people.csv").write_text("name,born\nAda,1980\n")
    call("load", tmp_path / "people.csv", "--store", tmp_path / "store", "--yes")
    return tmp_path / "store"


def test_a_folder_of_tables_is_not_loaded(call: Call, tmp_path: Path) -> None:
    shop = find_content("sample", "shop")
    refused = call("load", shop, "--store", tmp_path / "store", code=2).stderr
    assert "products.supplier_id → suppliers.supplier_id" in refused, "what would be accepted is shown"
    assert f"{REFUSED}\nAccept the mapping with `--yes`, or change it with `--entity` or `--map`." in refused
    assert not (tmp_path / "store").exists()
    assert not (tmp_path / "store.feeds").exists()
    assert call("load", shop, "--store", tmp_path / "store", input="n\n", code=1)
    assert not (tmp_path / "store").exists()
    call("load", shop, "--store", tmp_path / "store", input="y\n")
    assert names(call, tmp_path / "store") == ["shop"]


def test_a_piped_table_is_not_loaded(call: Call, tmp_path: Path) -> None:
    table = "name,born\nAda,1980\n"
    refused = call("load", "-", "--store", tmp_path / "store", input=table, code=2).stderr
    assert "name: entity" in refused
    assert REFUSED in refused
    assert not (tmp_path / "store").exists()
    call("load", "-", "--source", "people", "--store", tmp_path / "store", "--yes", input=table)
    assert names(call, tmp_path / "store") == ["people"]


def test_a_source_is_not_dropped(call: Call, people: Path) -> None:
    assert f"{REFUSED}\nDrop it with `--yes`." in call("sources", "drop", "people", "--store", people, code=2).stderr
    assert names(call, people) == ["people"]
    call("sources", "drop", "people", "--store", people, input="y\n")
    assert names(call, people) == []


@pytest.mark.parametrize("verb, remedy", [("flip", "Switch to it with"), ("discard", "Remove it with")])
def test_a_pending_load_stays(call: Call, people: Path, verb: str, remedy: str) -> None:
    (people.parent / "people.csv").write_text("name,born\nAda,1980\nBo,1990\n")
    call("load", people.parent / "people.csv", "--hold", "--store", people, "--yes")
    before = call("sources", "list", "--store", people, "--json").stdout
    assert f"{REFUSED}\n{remedy} `--yes`." in call("sources", verb, "people", "--store", people, code=2).stderr
    assert call("sources", "list", "--store", people, "--json").stdout == before


def test_links_are_not_removed(call: Call, people: Path) -> None:
    shutil.copy(people.parent / "people.csv", people.parent / "match-a-b.csv")
    call("load", people.parent / "match-a-b.csv", "--store", people, "--yes")
    assert f"{REFUSED}\nRemove them with `--yes`." in call("match", "undo", "a", "b", "--store", people, code=2).stderr
    assert "match-a-b" in names(call, people)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words, status, said",
    [
        (["load", "{shop}"], 2, REFUSED),
        (["load", "-"], 1, "Nothing came through standard input."),
        (["sources", "drop", "people"], 2, REFUSED),
        (["chat", "--agent", "offline"], 0, ""),
    ],
)
def test_closed_standard_input_is_no_consent(
    call: Call, people: Path, words: list[str], status: int, said: str
) -> None:
    words = [word.format(shop=find_content("sample", "shop")) for word in words]
    command = ["sh", "-c", 'exec "$@" <&-', "sh", sys.executable, "-m", "hydra_kg", *words, "--store", str(people)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=own_environment(drop=()))
    assert done.returncode == status, done.stderr
    assert said in done.stderr
    assert "unexpected" not in done.stderr
    assert names(call, people) == ["people"]
