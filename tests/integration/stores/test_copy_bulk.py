"""A copy into the local server by import: what the online copy leaves, beside what was there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.samples.copies import both, fill, kept, said
from helpers.samples.graphs import put
from helpers.servers.neo4j_server import Server, local_server, wipe
from neo4j import GraphDatabase

from hydra_kg.stores.copying import copy_store
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.stores.neo4j.store import Neo4jStore

pytestmark = pytest.mark.server


@pytest.fixture
def local(neo4j_server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A local server, emptied: only the data of such a one is swapped."""
    with local_server(neo4j_server, tmp_path_factory) as made:
        clear(made)
        yield made
        clear(made)


def clear(server: Server) -> None:
    """Empty it through connections of now: those of before a swap are dead."""
    with GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
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
