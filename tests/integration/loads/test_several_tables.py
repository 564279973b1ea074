"""Several files of a table under one name: every row is there, and a file passed over fails the load."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from hydra_kg.errors import LoadError
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg_loaders.tables.loader import TablesLoader

Rows = list[dict[str, str]]


def _csv(path: Path, rows: Rows, delimiter: str = ",") -> None:
    with path.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def _xml(path: Path, rows: Rows) -> None:
    cells = ("".join(f"<{k}>{v}</{k}>" for k, v in row.items()) for row in rows)
    path.write_text(f"<rows>{''.join(f'<row>{c}</row>' for c in cells)}</rows>")


def _parquet(path: Path, rows: Rows) -> None:
    with duckdb.connect() as db:
        db.execute("CREATE TABLE t (name VARCHAR, height VARCHAR)")
        db.executemany("INSERT INTO t VALUES (?, ?)", [list(row.values()) for row in rows])
        db.execute(f"COPY t TO '{path}' (FORMAT parquet)")


WRITERS: dict[str, Callable[[Path, Rows], None]] = {
    "csv": _csv,
    "tsv": lambda path, rows: _csv(path, rows, "\t"),
    "json": lambda path, rows: path.write_text(json.dumps(rows)) and None,
    "jsonl": lambda path, rows: path.write_text("".join(json.dumps(row) + "\n" for row in rows)) and None,
    "xml": _xml,
    "parquet": _parquet,
}


def rows(first: int, count: int) -> Rows:
    return [{"name": f"Tower {n}", "height": str(100 + n)} for n in range(first, first + count)]


@pytest.mark.parametrize("kind", WRITERS)
def test_every_file_is_read(tmp_path, kind):
    files = [tmp_path / f"{name}.{kind}" for name in ("north", "east", "south")]
    for n, file in enumerate(files):
        WRITERS[kind](file, rows(4 * n, 4))
    with EmbeddedStore(tmp_path / "store") as store:
        (load,) = load_files(store, files, LoadOptions(source="towers")).loads
        assert load.kept["rows"] == 12
        assert [file["lines"] > 0 for file in load.files] == [True] * 3
        with store.snapshot() as snapshot:
            assert None not in snapshot.lookup([f"towers:Tower {n}" for n in range(12)])


def test_large_files_after_each_other(tmp_path):
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for n, file in enumerate(files):
        _csv(file, rows(60_000 * n, 60_000))
    with EmbeddedStore(tmp_path / "store") as store:
        (load,) = load_files(store, files, LoadOptions(source="towers")).loads
        assert load.kept["rows"] == 120_000
        assert [file["lines"] for file in load.files] == [60_001, 60_001]


@pytest.mark.parametrize("limit, kept", [(3, 2), (5, 4), (7, 5), (100, 8)])
def test_a_limit_counts_over_all_files(tmp_path, limit, kept):
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for n, file in enumerate(files):
        _csv(file, rows(4 * n, 4))  # a header and four rows each
    with EmbeddedStore(tmp_path / "store") as store:
        (load,) = load_files(store, files, LoadOptions(source="towers", limit=limit)).loads
        assert load.kept["rows"] == kept
        assert load.read == min(limit, 10)


def test_a_limit_that_ends_with_a_file_leaves_the_sources_of_the_next_one_out(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(f"source,entity,attribute,value\n{name},Alien,year,1979\n")
    with EmbeddedStore(tmp_path / "store") as store:
        (load,) = load_files(
            store, [tmp_path / "a.csv", tmp_path / "b.csv"], LoadOptions(source="films", limit=2)
        ).loads
        assert load.kept["rows"] == 1
        with store.snapshot() as snapshot:
            assert [s.name for s in snapshot.manifest()[0].sources] == ["a"]


def test_a_file_that_was_passed_over_fails_the_load(tmp_path, monkeypatch):
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for n, file in enumerate(files):
        _csv(file, rows(4 * n, 4))
    read = TablesLoader.read

    def only_the_first(self, work):
        work.files = work.files[:1]
        try:
            return read(self, work)
        finally:
            work.files = tuple(files)

    monkeypatch.setattr(TablesLoader, "read", only_the_first)
    with EmbeddedStore(tmp_path / "store") as store:
        with pytest.raises(LoadError, match=r"Nothing of b\.csv was read"):
            load_files(store, files, LoadOptions(source="towers"))
        with store.snapshot() as snapshot:
            assert snapshot.manifest() == ()


def test_a_name_with_stars_is_one_file(tmp_path):
    _parquet(tmp_path / "data_private.parquet", rows(0, 4))
    _parquet(tmp_path / "data_x.parquet", rows(4, 2))
    (tmp_path / "data_x.parquet").rename(tmp_path / "data_*.parquet")
    for folder in ("store", "st[o]re*"):
        with EmbeddedStore(tmp_path / folder) as store:
            (load,) = load_files(store, [tmp_path / "data_*.parquet"], LoadOptions(source="towers")).loads
            assert load.kept["rows"] == 2
