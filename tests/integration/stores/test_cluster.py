"""A store on a cluster: who is read from, who is written to, what a reader has seen, and a leader that changes.

The cluster is scripted (:mod:`helpers.servers.cluster`): its members speak Bolt with the driver and stand before one
real server, since a cluster of Neo4j needs its Enterprise edition.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from helpers.samples import graphs
from helpers.samples.graphs import Spec
from helpers.servers import neo4j_stores
from helpers.servers.cluster import Cluster
from helpers.servers.neo4j_server import Server

from hydra_kg.domain import Source
from hydra_kg.errors import StoreError
from hydra_kg.stores.neo4j.connection import connect as connecting
from hydra_kg.stores.neo4j.store import Neo4jStore

pytestmark = pytest.mark.server

NODES = [f"m.0{a}{b}" for a in "bcd" for b in "bcdfghjk"]
GRAPH = Spec(
    "graph",
    (Source("one", "table"),),
    sorted((s, f"p{i % 3}", NODES[(i * 7 + 1) % len(NODES)], 0) for i, s in enumerate(NODES * 2)),
    names=[(s, "name", f"Name {s}") for s in NODES],
    same_as=[(s, f"Q{i + 1}") for i, s in enumerate(NODES[:3])],
)
STATE = (
    "MATCH (a)-[r]->(b) WHERE r.fid IS NOT NULL RETURN r.fid, a.key, type(r), b.key",
    "MATCH (n:HydraEntity) RETURN n.id, n.name, n.cls",
    "MATCH (l:HydraLoad) RETURN l.name, l.state, l.facts",
)


@pytest.fixture
def cluster(neo4j_database: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Cluster]:
    """Three members before the emptied server; small chunks, and little patience."""
    neo4j_stores.hurry(neo4j_database, monkeypatch, tmp_path, rows=20)
    place = urlsplit(neo4j_database.uri)
    with neo4j_stores.empty(), Cluster(place.hostname or "localhost", place.port or 7687) as made:
        yield made


def asked(store: Neo4jStore) -> list[str]:
    """What a question reads: a topic found by its name, and what is around it."""
    with store.snapshot() as snapshot:
        (topic,) = snapshot.lookup([NODES[0]])
        assert topic is not None
        found = snapshot.cut([topic], depth=2)
        return [f"{s} {o}" for s, o in zip(found.src.tolist(), found.dst.tolist(), strict=True)]


def state() -> list[list[Any]]:
    """All that is in the graph, read without the cluster."""
    with neo4j_stores.opened().session() as session:
        return [sorted((row.values() for row in session.run(query)), key=repr) for query in STATE]


def test_reads_go_to_secondaries_writes_to_the_leader_and_bookmarks_with_both(cluster: Cluster) -> None:
    with Neo4jStore(cluster.url) as store:
        opened = len(cluster.asked)
        graphs.put(store, GRAPH)
        assert asked(store)
    writes = [one for one in cluster.asked if one.write]
    reads = [one for one in cluster.asked if not one.write]
    assert {one.member for one in writes} == {0}
    assert {one.member for one in reads} == {1, 2}
    assert len(writes) > 10
    assert len(reads) > 5
    later = [one for one in cluster.asked[opened:] if one.after]
    assert [one for one in later if one.after not in one.bookmarks] == []
    assert cluster.refused == 0


def test_a_new_store_reads_the_schema_that_it_has_just_made(cluster: Cluster) -> None:
    with neo4j_stores.opened().session() as session:
        session.run("MATCH (n) DETACH DELETE n").consume()
    with Neo4jStore(cluster.url) as store:
        assert store.loads() == []
    made = next(n for n, one in enumerate(cluster.asked) if one.write)
    behind = [one for one in cluster.asked[made:] if not one.write and one.after not in one.bookmarks]
    assert behind == []


@pytest.mark.parametrize("when", ["before a transaction", "before its commit"])
def test_a_load_goes_on_with_the_next_leader(when: str, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_DATABASE", "neo4j")  # else the driver asks for the user's database, and who leads it
    with neo4j_stores.empty() as alone:
        graphs.put(alone, GRAPH)
        expected = state()
    changes = []
    with neo4j_stores.empty(), Neo4jStore(cluster.url) as store:

        def change(number: int) -> None:
            if number % 4 == 0 and len(changes) < 3:
                changes.append(number)
                if when == "before its commit":
                    cluster.lead((cluster.leader or 0) + 1 - 3 * (cluster.leader == 2))

        cluster.before_commit = change
        if when == "before a transaction":
            cluster.lead(1)  # the table that the driver has still names the first
        graphs.put(store, GRAPH)
        assert asked(store)
    assert cluster.refused >= (3 if when == "before its commit" else 1)
    assert state() == expected


def test_a_time_without_a_leader_is_waited_out(cluster: Cluster) -> None:
    with Neo4jStore(cluster.url) as store:
        tables = cluster.tables

        def table() -> dict[str, Any]:
            if cluster.tables > tables + 3:
                cluster.lead(2)
            return type(cluster)._table(cluster)

        cluster.lead(None)
        cluster._table = table  # type: ignore[method-assign]
        graphs.put(store, GRAPH)
        assert asked(store)
    assert {one.member for one in cluster.asked if one.write} >= {2}


def test_questions_go_on_without_a_secondary_and_without_a_leader(cluster: Cluster) -> None:
    with Neo4jStore(cluster.url) as store:
        graphs.put(store, GRAPH)
        expected = asked(store)
        cluster.lead(None)
        cluster.stop(1)
        before = len(cluster.asked)
        assert asked(store) == expected
        assert {one.member for one in cluster.asked[before:]} <= {0, 2}


def test_a_cluster_that_stays_without_a_leader_is_said(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "RETRY", 0.2)
    with Neo4jStore(cluster.url) as store:
        cluster.lead(None)
        with pytest.raises(StoreError, match=r"cannot be reached|has no leader"):
            graphs.put(store, GRAPH)
