"""Every form of a twin states the same facts."""

from __future__ import annotations

import csv
import json
import sqlite3
from contextlib import closing

import pytest
import rdflib
from python_calamine import CalamineWorkbook

from bench.behaviour.twin_forms import write_twin

TABLES = {
    "bridges": [{"name": "Mill & Bridge", "engineer": "Ada Lund", "length": 95, "opened": "1888-04-20"}],
    "engineers": [{"name": "Ada Lund", "place_of_birth": "Kolm"}],
}
CELLS = [list(TABLES["bridges"][0]), list(TABLES["bridges"][0].values())]


@pytest.fixture
def facts(tmp_path):
    file = tmp_path / "twin.json"
    file.write_text(json.dumps(TABLES), encoding="utf-8")
    return file


def test_csv_files(facts, tmp_path):
    folder = write_twin(facts, "csv", tmp_path / "out")
    assert {file.name for file in folder.iterdir()} == {"bridges.csv", "engineers.csv"}
    rows = list(csv.reader((folder / "bridges.csv").read_text("utf-8").splitlines()))
    assert rows == [CELLS[0], [str(value) for value in CELLS[1]]]


def test_sqlite(facts, tmp_path):
    with closing(sqlite3.connect(write_twin(facts, "sqlite", tmp_path / "out"))) as database:
        assert database.execute("SELECT * FROM bridges").fetchall() == [tuple(CELLS[1])]
        assert database.execute("SELECT place_of_birth FROM engineers").fetchall() == [("Kolm",)]


def test_workbook(facts, tmp_path):
    book = CalamineWorkbook.from_path(str(write_twin(facts, "workbook", tmp_path / "out")))
    assert book.sheet_names == ["bridges", "engineers"]
    assert book.get_sheet_by_name("bridges").to_python() == CELLS


def test_turtle_links_names_and_types_dates(facts, tmp_path):
    graph = rdflib.Graph().parse(write_twin(facts, "turtle", tmp_path / "out"))
    ex = rdflib.Namespace("https://example.com/")
    (bridge,) = graph.subjects(rdflib.RDFS.label, rdflib.Literal("Mill & Bridge"))
    assert (bridge, ex.engineer, ex.Ada_Lund) in graph
    assert (ex.Ada_Lund, ex.place_of_birth, ex.Kolm) in graph
    assert graph.value(bridge, ex.opened) == rdflib.Literal("1888-04-20", datatype=rdflib.XSD.date)
    assert graph.value(bridge, ex.length).toPython() == 95


def test_nested_json_puts_records_inside_those_that_they_name(facts, tmp_path):
    (engineer,) = json.loads(write_twin(facts, "nested", tmp_path / "out").read_text("utf-8"))["engineers"]
    (bridge,) = engineer["bridges"]
    assert bridge == {key: value for key, value in TABLES["bridges"][0].items() if key != "engineer"}


def test_json_is_the_table_of_facts(facts, tmp_path):
    assert json.loads(write_twin(facts, "json", tmp_path / "out").read_text("utf-8")) == TABLES
