"""Copies between stores: facts, ids, sources, places, details, names, passages, classes and what is kept of a load."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.samples.copies import both, fill, kept, said
from helpers.samples.graphs import MEMORY, Spec, put, specs
from helpers.servers import neo4j_stores
from helpers.servers.neo4j_server import Server
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from thorough import examples

from hydra_kg.errors import NotFoundError, StoreError, UsageError
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.ports import Store
from hydra_kg.stores.copying import copy_store
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.stores.neo4j.writes import load_export
from hydra_kg.util.package_data import find_content


@settings(examples(4), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(some=st.tuples(specs("a"), specs("b")))
def test_a_folder_into_a_folder(some: tuple[Spec, Spec]):
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        one, other = Path(folder) / "one", Path(folder) / "other"
        fill(one, list(some))
        report, landed = copy_store(one, other)
        assert landed
        assert [x.copied for x in report.loads] == [True, True]
        with EmbeddedStore(one) as a, EmbeddedStore(other) as b:
            assert said(b) == said(a)
            assert kept(b) == kept(a)
            assert not [f for f in b.doctor() if f.level == "error"]


def test_a_copy_can_be_run_again_and_refuses_what_differs(tmp_path: Path):
    fill(tmp_path / "a", both("l"))
    fill(tmp_path / "b", both("l", "Q5")[:1])
    with pytest.raises(StoreError, match="l is loaded there already"):
        copy_store(tmp_path / "a", tmp_path / "b")
    with EmbeddedStore(tmp_path / "b") as b:
        assert [x["name"] for x in b.loads()] == ["l"], "nothing was done"
    told = []
    report, _ = copy_store(tmp_path / "a", tmp_path / "b", replace=True, listener=told.append)
    assert [x.copied for x in report.loads] == [True, True]
    assert {e.kind for e in told} == {"copy.write"}
    assert [e.data["done"] for e in told if e.data["name"] == "l"][-1] == 7
    report, _ = copy_store(tmp_path / "a", tmp_path / "b")
    assert [x.copied for x in report.loads] == [False, False]
    with EmbeddedStore(tmp_path / "a") as a, EmbeddedStore(tmp_path / "b") as b:
        assert said(a) == said(b)
        assert (next((b.path / "loads").glob("l.*")) / "rejects.tsv.gz").read_bytes() == b"rejected\n" * 5
        a.drop("l-1")
        b.drop("l-1")
        assert said(a) == said(b)


def test_what_cannot_be_copied_is_said(tmp_path: Path):
    fill(tmp_path / "a", both("l"))
    with pytest.raises(UsageError, match="same store"):
        copy_store(tmp_path / "a", tmp_path / "x" / ".." / "a")
    with pytest.raises(NotFoundError):
        copy_store(tmp_path / "none", tmp_path / "b")
    assert not (tmp_path / "b").exists()


@pytest.fixture
def server(neo4j_database: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Store]:
    """An empty store on the server; other programs find it."""
    monkeypatch.setenv("HYDRA_NEO4J_HOME", str(tmp_path / "no-local-server"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name, value in neo4j_database.environment().items():
        monkeypatch.setenv(name, value)
    with neo4j_stores.empty() as store:
        yield store


@pytest.mark.server
@pytest.mark.parametrize("page", [2, 10_000])
def test_a_folder_into_a_server_and_back(server: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: int):
    monkeypatch.setattr(load_export, "PAGE", page)
    monkeypatch.setattr(load_export, "BATCH", page)
    fill(tmp_path / "a", both("l"))
    told = []
    report, landed = copy_store(tmp_path / "a", server.url, listener=told.append)
    assert landed
    assert [x.copied for x in report.loads] == [True, True]
    assert {e.kind for e in told} == {"copy.write"}
    assert [x.copied for x in copy_store(tmp_path / "a", server.url)[0].loads] == [False, False]
    report, _ = copy_store(server.url, tmp_path / "b", listener=told.append)
    assert {e.kind for e in told} == {"copy.write", "copy.read"}
    assert [x.copied for x in copy_store(server.url, tmp_path / "b")[0].loads] == [False, False]
    with EmbeddedStore(tmp_path / "a") as a, EmbeddedStore(tmp_path / "b") as b:
        assert said(a) == said(server) == said(b)
        assert kept(a) == kept(server) == kept(b)
        assert [i["counts"] for i in a.loads()] == [i["counts"] for i in b.loads()]
        assert (next((b.path / "loads").glob("l.*")) / "rejects.tsv.gz").read_bytes() == b"rejected\n" * 5
        assert not [f for f in b.doctor() if f.level == "error"]
        a.drop("l-1")
        b.drop("l-1")
        server.drop("l-1")
        assert said(a) == said(server) == said(b)


@pytest.mark.server
def test_a_server_that_has_another_load_of_the_name(server: Store, tmp_path: Path):
    put(server, both("l", "Q5")[0])
    before = said(server)
    fill(tmp_path / "a", both("l"))
    with pytest.raises(StoreError, match="l is loaded there already"):
        copy_store(tmp_path / "a", server.url)
    assert said(server) == before
    copy_store(tmp_path / "a", server.url, replace=True)
    with EmbeddedStore(tmp_path / "a") as a:
        assert said(a) == said(server)


@pytest.mark.server
def test_a_copy_that_was_killed_goes_on(server: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    fill(tmp_path / "a", both("l"))

    class Killed(BaseException):
        pass

    def die(*args: object, **more: object) -> None:
        raise Killed

    from hydra_kg.stores.neo4j.store import Neo4jStore

    with monkeypatch.context() as patch:
        patch.setattr(Neo4jStore, "flip", die)
        with pytest.raises(Killed):
            copy_store(tmp_path / "a", server.url)
    assert [x["state"] for x in server.loads()] == ["staging"]
    copy_store(tmp_path / "a", server.url)
    with EmbeddedStore(tmp_path / "a") as a:
        assert said(a) == said(server)


@pytest.mark.server
@settings(examples(2), suppress_health_check=list(HealthCheck))
@given(some=st.tuples(specs("a"), specs("b")))
def test_random_loads_through_a_server(
    server: Store, tmp_path_factory: pytest.TempPathFactory, some: tuple[Spec, Spec]
):
    folder = tmp_path_factory.mktemp("copies")
    fill(folder / "a", list(some))
    with neo4j_stores.empty() as empty:
        copy_store(folder / "a", empty.url)
        copy_store(empty.url, folder / "b")
        with EmbeddedStore(folder / "a") as a, EmbeddedStore(folder / "b") as b:
            assert said(a) == said(empty) == said(b)


def test_the_folders_of_a_copied_load_are_made_durable(tmp_path, monkeypatch):
    synced: set[str] = set()
    fsync = os.fsync

    def noted(fd: int) -> None:
        synced.add(str(Path(f"/proc/self/fd/{fd}").readlink()))
        fsync(fd)

    with EmbeddedStore(tmp_path / "a") as store:
        load_files(store, [find_content("sample", "harbour.csv")], LoadOptions(extra={"entity": "ferry"}))
    monkeypatch.setattr(os, "fsync", noted)
    copy_store(str(tmp_path / "a"), str(tmp_path / "b"))
    assert {str(tmp_path / "b"), str(tmp_path / "b" / "loads"), str(tmp_path / "b" / "generations")} <= synced
