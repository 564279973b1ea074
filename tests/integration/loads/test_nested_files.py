"""Nested JSON and XML load as linked tables that can be asked, each fact with its place in the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.errors import FormatError
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.store import EmbeddedStore

PARTS = {
    "bomFormat": "CycloneDX",
    "version": 1,
    "metadata": {"component": {"bom-ref": "app@4.2", "name": "tarnshop", "version": "4.2"}},
    "components": [
        {"bom-ref": f"{name}@{version}", "name": name, "version": version, "licenses": licences}
        for name, version, licences in (
            ("carbon", "2.63.0", [{"license": {"id": "MIT"}}]),
            ("guzzle", "7.8.1", [{"license": {"id": "Apache-2.0"}}, {"license": {"name": "Own"}}]),
            ("laramar", "10.1", []),
        )
    ],
    "dependencies": [
        {"ref": "app@4.2", "dependsOn": ["laramar@10.1"]},
        {"ref": "laramar@10.1", "dependsOn": ["carbon@2.63.0", "guzzle@7.8.1"]},
        {"ref": "carbon@2.63.0"},
    ],
}
ORDERS = """<shop><order id="A17"><customer><name>Ada Finch</name></customer>
<line><product>lamp</product><qty>2</qty></line><line><product>rope</product><qty>1</qty></line></order>
<order id="A18"><customer><name>Tom Reed</name></customer><line><product>anchor</product><qty>1</qty></line></order>
</shop>"""


def asked(hydra: Hydra, question: str) -> set[str]:
    return {one.name for one in hydra.ask(question, keep=False).answers}


@pytest.mark.slow
def test_a_bill_of_materials_answers_for_its_components(tmp_path: Path) -> None:
    (file := tmp_path / "bom.json").write_text(json.dumps(PARTS))
    with Hydra(store=tmp_path / "s", agent="offline") as hydra:
        (loaded,) = hydra.load(file).loads
        assert (loaded.read, loaded.balanced()) == (1 + 3 + 3 + 1 + 2, True)
        assert asked(hydra, "Which version of carbon is used?") == {"2.63.0"}
        assert asked(hydra, "How many components are there?") == {"3"}
        assert asked(hydra, "What does laramar depend on?") == {"carbon", "guzzle"}
        assert asked(hydra, "What does tarnshop depend on?") == {"laramar"}
        assert asked(hydra, "What is the licence of guzzle?") == {"Apache-2.0", "Own"}
        answer = hydra.ask("Which version of carbon is used?")
        assert "/components/0" in str(answer.to_dict()["citations"])


@pytest.mark.slow
def test_orders_in_xml_have_lines_with_their_order(tmp_path: Path) -> None:
    (file := tmp_path / "orders.xml").write_text(ORDERS)
    with Hydra(store=tmp_path / "s", agent="offline") as hydra:
        (loaded,) = hydra.load(file).loads
        assert (loaded.read, loaded.balanced()) == (5, True)
        assert asked(hydra, "Which products are in order A17?") == {"lamp", "rope"}
        assert asked(hydra, "How many orders are there?") == {"2"}
        assert "line 2" in str(hydra.ask("Which products are in order A17?").to_dict()["citations"])


@pytest.mark.slow
def test_broken_lines_of_nested_records_are_counted(tmp_path: Path) -> None:
    lines = [{"sku": "S1", "qty": 2}, {"sku": "S2", "qty": 1}]
    text = json.dumps({"id": "A17", "lines": lines}) + "\n{broken\n" + json.dumps({"id": "A18", "lines": lines}) + "\n"
    (file := tmp_path / "orders.jsonl").write_text(text)
    with Hydra(store=tmp_path / "s", agent="offline") as hydra:
        (loaded,) = hydra.load(file).loads
        assert (loaded.read, dict(loaded.rejected), loaded.balanced()) == (7, {"json": 1}, True)


def test_named_columns_make_one_flat_table_of_a_nested_file(tmp_path: Path) -> None:
    (file := tmp_path / "bom.json").write_text(json.dumps(PARTS["components"]))
    with EmbeddedStore(tmp_path / "s") as store:
        (loaded,) = load_files(store, [file], LoadOptions(extra={"entity": "name"})).loads
    assert (loaded.format, loaded.read) == ("tables", 3)


FIRM = {
    "offices": [{"name": "Oslo", "address": {"street": "Main Road"}}, {"name": "Turku"}],
    "people": [
        {"name": "Ada Lund", "office": "Turku", "phones": ["11", "12"]},
        {"name": "Bo Rask", "office": "Oslo", "phones": ["13"]},
        {"name": "Cy Holm", "office": "Turku", "phones": ["14"]},
    ],
}


def write_json(file: Path, content: object) -> Path:
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


@pytest.mark.slow
def test_every_array_is_loaded_with_nested_and_repeated_values(tmp_path: Path) -> None:
    file = write_json(tmp_path / "firm.json", FIRM)
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        (loaded,) = hydra.load(file).loads
        assert loaded.read == 5
        assert set(loaded.described["feed"]["tables"]) == {"offices", "people"}
        assert hydra.ask("What is the office of Ada Lund?", keep=False).answer_text == "Turku"
        assert {a.name for a in hydra.ask("What are the phones of Ada Lund?", keep=False).answers} == {"11", "12"}
        assert hydra.ask("What is the address street of Oslo?", keep=False).answer_text == "Main Road"


def test_what_stands_around_an_array_of_records_is_a_row_of_its_own(tmp_path: Path) -> None:
    file = write_json(tmp_path / "firm.json", {"made": "today", "people": FIRM["people"]})
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        (loaded,) = hydra.load(file).loads
        assert (loaded.read, set(loaded.described["feed"]["tables"])) == (4, {"firm", "people"})


def test_an_object_of_nothing_but_one_array_of_records_is_one_table(tmp_path: Path) -> None:
    file = write_json(tmp_path / "firm.json", {"people": FIRM["people"]})
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        (loaded,) = hydra.load(file).loads
        assert loaded.read == 3


def test_records_nested_too_deeply_are_refused(tmp_path: Path) -> None:
    deep: object = "x"
    for _ in range(20):
        deep = {"a": {"b": deep}}
    file = write_json(tmp_path / "firm.json", {**FIRM, "deep": [{"name": "Oslo", "more": deep}]})
    with Hydra(store=tmp_path / "store", agent="offline") as hydra, pytest.raises(FormatError, match="nested too deep"):
        hydra.load(file)


def test_values_around_the_array_of_a_large_file_are_counted_as_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hydra_kg_loaders.nested import json_files

    monkeypatch.setattr(json_files, "MOST_BYTES", 40)
    rows = [{"name": f"Tower {n}", "height": 100 + n} for n in range(5)]
    for name, content in (("before", {"made": "today", "towers": rows}), ("after", {"towers": rows, "made": "today"})):
        file = write_json(tmp_path / f"{name}.json", content)
        with EmbeddedStore(tmp_path / f"{name}.db") as store:
            (loaded,) = load_files(store, [file]).loads
        assert (loaded.kept["rows"], dict(loaded.rejected), loaded.balanced()) == (5, {"outside": 1}, True)
