"""Loads of files as people have them: titles, totals, merged cells, repeated rows, one column, a header alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.behaviour.small_workbook import write_workbook
from hydra_kg import Hydra
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.ingest.report import LoadResult
from hydra_kg.serving.wording.replies import german
from hydra_kg.stores.embedded.store import EmbeddedStore

NESTS = "nest,tree,pairs\nN1,oak,4\nN2,ash,2\nN3,elm,1\n"


def load(tmp_path: Path, *paths: Path, **options: object) -> LoadResult:
    with EmbeddedStore(tmp_path / "store") as store:
        (result,) = load_files(store, list(paths), LoadOptions(**options)).loads  # type: ignore[arg-type]
    assert result.balanced()
    return result


def write(folder: Path, **files: str) -> Path:
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text, "utf-8")
    return folder


def test_a_title_and_a_total_of_one_table_are_accounted_for(tmp_path):
    folder = write(tmp_path / "lake", nests=f"Nests of the lake\n{NESTS}TOTAL,,7\n")
    result = load(tmp_path, folder / "nests.csv")
    assert (result.kept["rows"], result.rejected, result.dropped["totals"]) == (3, {"before-header": 1}, 1)


def test_a_rule_keeps_totals(tmp_path):
    folder = write(tmp_path / "lake", nests=f"{NESTS}TOTAL,,7\n")
    result = load(tmp_path, folder / "nests.csv", rules={"totals": False})
    assert (result.kept["rows"], result.dropped["totals"]) == (4, 0)


def test_header_row_and_comment_are_options_of_a_load(tmp_path):
    folder = write(tmp_path / "lake", nests=f"a,b,c\n{NESTS}; moved\nN4,oak,3\n")
    result = load(tmp_path, folder / "nests.csv", extra={"header_row": "2", "comment": ";"})
    assert (result.kept["rows"], result.rejected) == (4, {"before-header": 1, "comment": 1})
    assert result.choices == {"header_row": "2", "comment": ";"}


def test_a_folder_with_one_column_and_a_header_alone_loads(tmp_path):
    folder = write(tmp_path / "lake", nests=NESTS, trees="tree\noak\nash\nelm\n", eggs="egg_id,nest\n")
    result = load(tmp_path, folder)
    assert {f["name"] for f in result.files} == {"eggs.csv", "nests.csv", "trees.csv"}
    assert (result.kept["rows"], result.kept["headers"], result.rejected) == (6, 3, {})


def test_repeated_rows_and_rows_without_key_or_name_are_counted_and_named(tmp_path):
    keepers = "keeper_id,name\nK1,Ida Lund\nK2,Max Orr\nK3,Eva Rist\nK2,Max Orr\n"
    boxes = "box_id,keeper\nB1,K1\nB2,K2\nB3,K3\n,K3\n"
    result = load(tmp_path, write(tmp_path / "lake", keepers=keepers, boxes=boxes))
    assert (result.kept["rows"], result.dropped["repeated"], result.rejected) == (6, 1, {"key": 1})
    assert "keepers: row 5 repeats row 3; merged" in result.described["lines"]
    assert any(line.startswith("boxes: row 5 has no box_id") for line in result.described["lines"])


@pytest.mark.parametrize("name", ["lake.xlsx"])
def test_a_workbook_with_merged_cells_totals_and_several_tables(tmp_path, name):
    sheets = {
        "Nests": [
            ("Nests of the lake",),
            ("Bank", "Nest", "Eggs", None),
            (None, None, "laid", "hatched"),
            ("north", "N1", 4, 3),
            (None, "N2", 2, 2),
            ("south", "N3", 3, 1),
            ("TOTAL", None, 9, 6),
        ],
        "People": [
            ("Keepers",),
            ("Keeper", "Age"),
            ("Ida", 40),
            ("Max", 51),
            (),
            ("Fines",),
            ("Keeper", "Amount"),
            ("Ida", 20),
            ("Max", 35),
        ],
        "Old": [("Nest", "Eggs"), ("N9", 9)],
    }
    merged = {"Nests": ["A1:D1", "C2:D2", "A2:A3", "B2:B3", "A4:A5"]}
    result = load(tmp_path, write_workbook(sheets, tmp_path / name, merged=merged, hidden=["Old"]))
    lines = result.described["lines"]
    assert "Nests (3 rows): each row is one nest, identified by Nest, called by Nest" in lines
    assert "  Bank (group), Eggs laid (number), Eggs hatched (number)" in lines
    assert any(line.startswith("Keepers (2 rows)") for line in lines)
    assert any(line.startswith("Fines (2 rows)") for line in lines)
    assert "lake.xlsx: the hidden sheet Old is left out; unhide to load." in lines
    assert "Nests: row 7 (TOTAL) adds up others and is left out (rule totals)" in lines
    assert (result.kept["rows"], result.dropped["totals"], result.dropped["blank"]) == (7, 1, 1)
    with EmbeddedStore(tmp_path / "store") as store, store.snapshot() as snapshot:
        (nest,) = (hit.node for hit in snapshot.find(["N2"])[0])
        cut = snapshot.cut([nest], depth=1, hops="paper", budget=100)
        called = {e.node.name for e in snapshot.entities(cut.ids.tolist())}
    assert "north" in called


def test_a_fact_of_a_second_table_names_the_cell_of_the_sheet(tmp_path):
    rows = [("Keeper", "Age"), ("Ida", 40), ("Max", 51), (), ("Fines",), ("Person", "Amount"), ("Eva", 20), ("Jo", 35)]
    load(tmp_path, write_workbook({"People": rows}, tmp_path / "lake.xlsx"))
    with EmbeddedStore(tmp_path / "store") as store, store.snapshot() as snapshot:
        (fine,) = (hit.node for hit in snapshot.find(["Jo"])[0])
        values = snapshot.values([fine])
        assert "Fines, cell B8 (lake.xlsx:8)" in {str(f.locator) for f in snapshot.facts(values.segment, values.row)}


def test_a_table_next_to_another_names_the_columns_of_the_sheet(tmp_path):
    rows = [("Keeper", "Age", None, "Boat", "Length"), ("Ida", 40, None, "Tern", 9), ("Max", 51, None, "Gull", 7)]
    load(tmp_path, write_workbook({"Lake": rows}, tmp_path / "lake.xlsx"))
    with EmbeddedStore(tmp_path / "store") as store, store.snapshot() as snapshot:
        (boat,) = (hit.node for hit in snapshot.find(["Gull"])[0])
        values = snapshot.values([boat])
        assert {str(f.locator).partition(" (")[0] for f in snapshot.facts(values.segment, values.row)} == {
            "Lake 2, cell D3",
            "Lake 2, cell E3",
        }


def test_a_rule_reads_years_as_rows(tmp_path):
    rain = "wood,2021,2022,2023\nNorth,400,420,410\nSouth,390,,380\n"
    folder = write(tmp_path / "lake", rainfalls=rain, nests=NESTS)
    result = load(tmp_path, folder, rules={"years": True})
    assert (result.kept["rows"], result.kept["headers"]) == (5, 2)
    assert "rainfalls (5 rows): each row is one rainfall, identified by wood, year" in result.described["lines"]
    assert result.described["feed"]["tables"]["rainfalls"]["size"] == 5


def test_a_single_table_states_ids_next_to_names(tmp_path):
    folder = write(tmp_path / "lake", boats="boat_id,boat_name,berth\n7,Aurora,Pier 3\n8,Borealis,Pier 1\n")
    load(tmp_path, folder / "boats.csv")
    with EmbeddedStore(tmp_path / "store") as store, store.snapshot() as snapshot:
        (boat,) = (hit.node for hit in snapshot.find(["Aurora"])[0])
        assert '"7"' in snapshot.values([boat]).literal


SALES = """date,shop,item,amount
2024-01-02,North,tea,4
2024-01-02,North,tea,4
2024-01-03,South,milk,3
2024-01-03,South,milk,3
2024-01-05,South,bread,7
2024-01-06,South,tea,4
2024-01-06,North,bread,7
"""
SHOPS = "shop,city\nNorth,Ribe\nSouth,Varde\n"


@pytest.fixture(scope="module", params=["alone", "folder"])
def sales(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hydra]:
    folder: Path = tmp_path_factory.mktemp("sales")
    (folder / "sales.csv").write_text(SALES, encoding="utf-8")
    if request.param == "folder":
        (folder / "shops.csv").write_text(SHOPS, encoding="utf-8")
    with Hydra(store=tmp_path_factory.mktemp("store") / "sales.db", agent="offline") as hydra:
        hydra.load(folder if request.param == "folder" else folder / "sales.csv")
        yield hydra


@pytest.mark.parametrize(
    "question, answer, rows",
    [
        ("How many sales are there?", "7", "2 rows that repeat others"),
        ("What is the total amount of the sales?", "32", "2 rows that repeat others"),
        ("How many sales did South have?", "4", "1 row that repeats another"),
    ],
)
def test_repeated_rows_are_doubted(sales: Hydra, question: str, answer: str, rows: str) -> None:
    found = sales.ask(question, keep=False)
    assert [a.name for a in found.answers] == [answer]
    assert found.unchecked == (f"whether {rows} word for word should count",)
    assert found.confidence < 0.8


def test_repeated_rows_change_no_distinct_values(sales: Hydra) -> None:
    assert sales.ask("How many different items are there?", keep=False).unchecked == ()


@pytest.mark.parametrize("rows", ["1 row that repeats another", "1,204 rows that repeat others"])
def test_the_doubt_has_german_words(rows: str) -> None:
    assert german(f"whether {rows} word for word should count", {}).startswith("ob 1")
