"""A copy into the local server by import: what the online copy leaves, beside what was there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from helpers.samples.copies import both, fill, kept, said
from helpers.samples.graphs import put
from helpers.servers.neo4j_server import Server, _local, wipe

from hydra_kg.stores.copying import copy_store
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.stores.neo4j.store import Neo4jStore

pytestmark = pytest.mark.server


@pytest.fixture
def local(neo4j_server: Server, tmp_path_factory: pytest.TempPathFactory,
          monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:  # fmt: skip
    """A local server, emptied: only the data of such a one is swapped."""
    from neo4j import GraphDatabase

    with ExitStack() as stack:
        for name in ("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD", "NEO4J_DATABASE"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        made = neo4j_server if neo4j_server.home else stack.enter_context(_local(tmp_path_factory, apoc=True))
        monkeypatch.setenv("HYDRA_NEO4J_HOME", str(made.home))
        driver = stack.enter_context(GraphDatabase.driver(made.uri, auth=(made.username, made.password)))
        wipe(driver)
        yield made
    with GraphDatabase.driver(made.uri, auth=(made.username, made.password)) as driver:
        wipe(driver)


def test_it_leaves_what_an_online_copy_leaves(local: Server, tmp_path: Path):
    fill(tmp_path / "a", both("l"))
    there = both("before")[0]
    there.same_as.clear()
    with Neo4jStore(local.uri) as server, EmbeddedStore(tmp_path / "plain") as plain:
        for store in (server, plain):
            put(store, there)
    events = []
    report, landed = copy_store(tmp_path / "a", local.uri, bulk_way="import", listener=events.append)
    assert landed
    assert [x.copied for x in report.loads] == [True, True]
    assert {e.kind for e in events} >= {"copy.write", "load.import", "load.swap"}
    copy_store(tmp_path / "a", tmp_path / "plain")
    with Neo4jStore(local.uri) as server, EmbeddedStore(tmp_path / "plain") as plain:
        assert said(server) == said(plain)
        assert kept(server) == kept(plain)
        assert [i.sources for i in _manifest(server)] == [i.sources for i in _manifest(plain)]
    again, landed = copy_store(tmp_path / "a", local.uri)
    assert [x.copied for x in again.loads] == [False, False]
    copy_store(local.uri, tmp_path / "b")
    with EmbeddedStore(tmp_path / "b") as back, EmbeddedStore(tmp_path / "plain") as plain:
        assert said(back) == said(plain)


def test_the_files_for_another_server_are_written(local: Server, tmp_path: Path):
    fill(tmp_path / "a", both("l"))
    events = []
    _, landed = copy_store(tmp_path / "a", local.uri, bulk_files=tmp_path / "files", listener=events.append)
    assert not landed
    assert [e.data["folder"] for e in events if e.kind == "load.command"] == [str(tmp_path / "files")]
    with Neo4jStore(local.uri) as server:
        assert not [x for x in server.loads() if x["state"] == "ready"]


def _manifest(store: Neo4jStore | EmbeddedStore) -> tuple[object, ...]:
    with store.snapshot() as s:
        return s.manifest()
