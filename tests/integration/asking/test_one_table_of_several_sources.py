"""One table in which several sources state a value: what they differ in is named when it is asked for, and fused."""

from __future__ import annotations

import csv
import json

import duckdb
import pytest
from click.testing import CliRunner

from hydra_kg.cli.main import main
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.store import EmbeddedStore

TABLE = """source,code,price,town
north,A1,10,Oslo
east,A1,11,Oslo
west,A1,10,Oslo
north,A2,20,Bergen
east,A2,20,=cmd()
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("several")
    (folder / "stock.csv").write_text(TABLE)
    with EmbeddedStore(folder / "store") as store:
        load_files(store, [folder / "stock.csv"], LoadOptions(extra={"entity": "code", "source_column": "source"}))
    return folder


@pytest.mark.parametrize(
    "question, sentence",
    [
        ("What is the price of A1?", "Sources disagree: north and west say 10; east says 11."),
        ("What is the price of A2?", ""),
    ],
)
def test_asked_for_a_value_who_says_what_is_named(path, question, sentence):
    ran = CliRunner().invoke(main, ["ask", question, "--json", "--store", str(path / "store")])
    doc = json.loads(ran.stdout)
    assert (sentence in doc["answer_text"]) if sentence else "disagree" not in doc["answer_text"]
    assert doc["answers"][0]["name"] in ("10", "20")


def test_a_fused_table_says_who_says_so_in_every_cell(path):
    made = {}
    for ending in ("csv", "parquet", "html"):
        made[ending] = path / f"clean.{ending}"
        ran = CliRunner().invoke(main, ["fuse", "--store", str(path / "store"), "--table", str(made[ending])])
        assert ran.exit_code == 0, ran.output
    rows = {row["id"]: row for row in csv.DictReader(made["csv"].read_text("utf-8").splitlines())}
    assert rows["stock:A1"]["price"] == "10"
    assert rows["stock:A1"]["price: said by"] == "north, west"
    assert not any(cell.startswith("=") for row in rows.values() for cell in row.values())
    assert duckdb.sql(f"SELECT \"price: said by\" FROM '{made['parquet']}' WHERE id = 'stock:A2'").fetchall() == [
        ("east, north",)
    ]
    page = made["html"].read_text("utf-8")
    assert "not: 11 (east)" in page
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
