"""Of several files, or a folder, what can be loaded is; what cannot is named with what to do, and the status is 1."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from hydra_kg import Hydra
from hydra_kg.errors import MissingPackageError, PartialLoadError
from hydra_kg_loaders.documents import document_reader
from hydra_kg_loaders.table_files import workbooks

Call = Callable[..., Result]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two tables, a text, and files for extras that are not installed."""
    monkeypatch.setattr(workbooks, "find_spec", lambda name: None)
    monkeypatch.setattr(document_reader, "find_spec", lambda name: None)
    folder = tmp_path / "club"
    (folder / "notes").mkdir(parents=True)
    (folder / "boats.csv").write_text("boat_id,name,member_id\nB1,Seeadler,M1\nB2,Nordstern,M2\n")
    (folder / "members.csv").write_text("member_id,name\nM1,Ada Lund\nM2,Bo Rask\n")
    (folder / "notes" / "about.md").write_text("# Ada Lund\n\nAda Lund was born in Kiel.\n")
    (folder / "repairs.xlsx").write_bytes(b"PK\x03\x04 and so on")
    (folder / "notes" / "history.pdf").write_bytes(b"%PDF-1.7 and so on")
    return folder


def loaded(call: Call, store: Path) -> list[str]:
    loads = json.loads(call("sources", "list", "--store", store, "--json").stdout)
    return sorted(load["name"] for load in loads if load["state"] == "ready")


def test_what_needs_an_extra_is_named_with_the_command(call: Call, folder: Path, tmp_path: Path) -> None:
    done = call("load", folder, "--store", tmp_path / "store", "--yes", code=1)
    assert "lines read" in done.stdout, "the report of the others is printed"
    assert "repairs.xlsx is a workbook" in done.stderr
    assert "pip install 'hydra-kg[tables]'" in done.stderr
    assert "history.pdf needs pypdf" in done.stderr
    assert "pip install 'hydra-kg[documents]'" in done.stderr
    assert "Everything else was loaded." in done.stderr
    assert loaded(call, tmp_path / "store") == ["club", "notes"]
    answer = call("ask", "Which member has the boat Seeadler?", "--store", tmp_path / "store", code=None)
    assert "Ada Lund" in answer.stdout


def test_a_folder_of_nothing_else_and_a_single_file_are_errors(call: Call, folder: Path, tmp_path: Path) -> None:
    for name in ("boats.csv", "members.csv", "notes/about.md", "notes/history.pdf"):
        (folder / name).unlink()
    for what in (folder, folder / "repairs.xlsx"):
        done = call("load", what, "--store", tmp_path / "store", "--yes", code=1)
        assert "pip install 'hydra-kg[tables]'" in done.stderr
        assert "Not loaded" not in done.stderr
    with Hydra(store=tmp_path / "store") as hydra, pytest.raises(MissingPackageError):
        hydra.load(folder)


def bad_files(tmp_path: Path) -> list[Path]:
    """An empty file, one of no known format, and one that is cut off."""
    empty, unknown, damaged = tmp_path / "empty.csv", tmp_path / "x.bin", tmp_path / "cut.nt.gz"
    empty.write_bytes(b"")
    unknown.write_bytes(b"\x00\x01\x02" * 100)
    line = "<http://rdf.freebase.com/ns/m.{0}>\t<http://rdf.freebase.com/ns/a.b.c>\t<http://rdf.freebase.com/ns/m.1{0}>\t.\n"
    damaged.write_bytes(gzip.compress("".join(line.format(n) for n in range(20_000)).encode())[:-5000])
    return [empty, unknown, damaged]


def test_texts_next_to_tables_are_a_source_of_their_own(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "people.csv").write_text("id,name\n1,Ada\n2,Ben\n3,Cleo\n")
    (folder / "orders.csv").write_text("order,person,amount\n10,1,5.5\n11,2,7\n12,1,9\n")
    (folder / "notes.txt").write_text("These files come from the shop. Ask Ada.\n")
    (folder / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n and so on")
    done = call("load", folder, "--store", tmp_path / "store", "--yes", code=0)
    assert "logo.png was not recognised and was left out" in done.stderr
    assert "skipped" not in done.stderr.splitlines()
    assert loaded(call, tmp_path / "store") == ["shop", "shop-documents"]
    answer = call("ask", "How much did Ada order in total?", "--store", tmp_path / "store", code=None)
    assert answer.stdout.startswith("14.5")
    again = call("load", folder, "--store", tmp_path / "store", "--yes", code=0)
    assert again.stdout.count("already loaded") == 2


def test_a_store_in_the_folder_that_is_loaded_is_not_read_as_data(call: Call, tmp_path: Path) -> None:
    folder = tmp_path / "club"
    folder.mkdir()
    (folder / "people.csv").write_text("id,name\n1,Ada\n2,Ben\n")
    call("load", folder, "--store", folder / "own[1].db", "--yes", code=0)
    (folder / "ships.csv").write_text("ship,built\nErna,1980\nIda,1990\n")
    again = call("load", folder, "--store", folder / "own[1].db", "--yes", "--replace", "--json", code=0)
    assert [file["name"] for load in json.loads(again.stdout)["loads"] for file in load["files"]] == [
        "people.csv",
        "ships.csv",
    ]
    assert again.stderr.count("own[1].db belongs to a store and was left out.") == 1


def test_bad_files_do_not_end_a_list(call: Call, tmp_path: Path) -> None:
    good = tmp_path / "people.csv", tmp_path / "ships.csv"
    for file in good:
        file.write_text("name,born\nAda,1980\n")
    words = ("load", good[0], *bad_files(tmp_path), good[1], "--store", tmp_path / "store", "--yes", "--json")
    done = call(*words, code=1)
    doc = json.loads(done.stdout)
    assert [load["name"] for load in doc["loads"]] == ["people", "ships"] == loaded(call, tmp_path / "store")
    assert [f["name"].rpartition("/")[2] for f in doc["failed"]] == ["x.bin", "freebase"]
    assert "empty.csv is empty and was left out" in done.stderr
    assert "cut.nt.gz is damaged" in done.stderr


def test_empty_files_of_a_list_are_left_out(call: Call, tmp_path: Path) -> None:
    good, empty, packed = (tmp_path / name for name in ("ok.nt", "quiet.nt", "quiet.csv.gz"))
    good.write_text("<http://e.org/a> <http://e.org/p> <http://e.org/b> .\n")
    empty.write_bytes(b"")
    packed.write_bytes(gzip.compress(b""))
    done = call("load", empty, good, packed, "--store", tmp_path / "store")
    assert loaded(call, tmp_path / "store") == ["ok"]
    for file in (empty, packed):
        assert f"{file.name} is empty and was left out." in done.stderr
    done = call("load", empty, packed, "--store", tmp_path / "store", code=1)
    assert "quiet.nt is empty." in done.stderr


def test_a_damaged_file_does_not_end_the_load_of_its_source(call: Call, tmp_path: Path) -> None:
    *_, damaged = bad_files(tmp_path)
    whole = tmp_path / "whole.nt"
    whole.write_text(
        "<http://rdf.freebase.com/ns/m.2>\t<http://rdf.freebase.com/ns/a.b.c>\t<http://rdf.freebase.com/ns/m.3>\t.\n"
    )
    done = call("load", damaged, whole, "--store", tmp_path / "store", "--json", code=1)
    doc = json.loads(done.stdout)
    assert [[f["name"] for f in load["files"]] for load in doc["loads"]] == [["whole.nt"]]
    assert doc["loads"][0]["links"] == 1
    assert "cut.nt.gz is damaged" in done.stderr


def test_a_table_without_rows_does_not_end_a_list(call: Call, tmp_path: Path) -> None:
    good, bad = tmp_path / "people.csv", tmp_path / "broken.json"
    good.write_text("name,born\nAda,1980\n")
    bad.write_text('{"a": ')
    done = call("load", bad, good, "--store", tmp_path / "store", "--yes", code=1)
    assert loaded(call, tmp_path / "store") == ["people"]
    assert "broken.json has no rows" in done.stderr


def test_the_error_has_the_report_of_the_others(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("name,born\nAda,1980\n")
    files = [tmp_path / "people.csv", *bad_files(tmp_path)]
    with Hydra(store=tmp_path / "store") as hydra:
        with pytest.raises(PartialLoadError) as caught:
            hydra.load(*files)
        assert [load.name for load in caught.value.report.loads] == ["people"]
        assert len(caught.value.failed) == 2
        with pytest.raises(PartialLoadError, match="Nothing was loaded"):
            hydra.load(files[2], files[3])
