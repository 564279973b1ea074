"""A JSON object of several arrays of records is several tables that refer to each other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hydra_kg import Hydra
from hydra_kg.errors import FormatError

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


def test_every_array_is_loaded_with_nested_and_repeated_values(tmp_path):
    file = write_json(tmp_path / "firm.json", FIRM)
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        (loaded,) = hydra.load(file).loads
        assert loaded.read == 5
        assert set(loaded.described["feed"]["tables"]) == {"offices", "people"}
        assert hydra.ask("What is the office of Ada Lund?", keep=False).answer_text == "Turku"
        assert {a.name for a in hydra.ask("What are the phones of Ada Lund?", keep=False).answers} == {"11", "12"}
        assert hydra.ask("What is the address street of Oslo?", keep=False).answer_text == "Main Road"


def test_an_object_with_one_array_of_records_is_one_table(tmp_path):
    file = write_json(tmp_path / "firm.json", {"made": "today", "people": FIRM["people"]})
    with Hydra(store=tmp_path / "store", agent="offline") as hydra:
        (loaded,) = hydra.load(file).loads
        assert loaded.read == 3


def test_records_nested_too_deeply_are_refused(tmp_path):
    deep: object = "x"
    for _ in range(40):
        deep = {"a": deep}
    file = write_json(tmp_path / "firm.json", {**FIRM, "deep": [{"name": "Oslo", "more": deep}]})
    with Hydra(store=tmp_path / "store", agent="offline") as hydra, pytest.raises(FormatError, match="nested too deep"):
        hydra.load(file)
