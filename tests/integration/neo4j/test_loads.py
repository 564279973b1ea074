"""Loads and drops on a server that are killed: running them again gives what an undisturbed load gives, no orphans."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.samples import graphs
from helpers.samples.graphs import Spec
from helpers.servers import neo4j_stores
from helpers.servers.neo4j_server import Server

from bench.faults.neo4j_kills import differences
from bench.faults.neo4j_kills import state as everything
from hydra_kg import ids
from hydra_kg.domain import Source
from hydra_kg.errors import StoreBusyError, StoreError
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.neo4j import store as stores
from hydra_kg.stores.neo4j.store import Neo4jStore
from hydra_kg.stores.neo4j.writes import chunks, writer
from hydra_kg.util.package_data import find_content

pytestmark = pytest.mark.server

SAMPLE = find_content("sample", "freebase.nt.gz")
LINES, ROWS = 2_700, 300  # a thirtieth of the sample, in chunks of a ninth: as many steps in which to die
# Loads or drops and kills itself without warning before the n-th statement that it would write.
VICTIM = """
import os, signal, sys
from pathlib import Path
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.stores.neo4j.connection import queries
from hydra_kg.stores.neo4j import store
from hydra_kg.stores.neo4j.writes import chunks, writer
from hydra_kg.stores.neo4j.store import Neo4jStore
url, what, file = sys.argv[1:4]
left, lines, store.ROWS = map(int, sys.argv[4:])
writer.ROWS = store.ROWS
run = queries.Transaction.run
def dying(*args):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    return run(*args)
queries.Transaction.run = dying
with Neo4jStore(url) as opened:
    load_files(opened, [Path(file)], LoadOptions(limit=lines)) if what == "load" else opened.drop("freebase")
"""
FACTS = """
MATCH ()-[r]->() WHERE r.fid IS NOT NULL RETURN 'link' AS kind, r.fid AS fid, type(r) AS p
UNION ALL MATCH (v:HydraValue) RETURN 'value' AS kind, v.fid AS fid, v.predicate AS p
"""
LEFT = "MATCH (n) WHERE NOT n:__Neo4jMigration AND NOT n:HydraStore AND NOT n:HydraClassChunk RETURN count(n)"


def rows(query: str) -> list[Any]:
    """What the graph says, whoever wrote it."""
    with neo4j_stores.opened().session() as session:
        return sorted(record.values() for record in session.run(query))


def state() -> tuple[list[Any], list[Any], list[Any]]:
    """Fact ids, what the loads say of the nodes, and how many rows of each other kind there are."""
    nodes = rows("MATCH (n:HydraEntity) RETURN n.id, n.key, [p IN n.parts | p % 1099511627776], labels(n)")
    others = rows("MATCH (n) WHERE n.load IS NOT NULL RETURN labels(n)[0], count(*)")
    return rows(FACTS), nodes, others


def die(server: Server, home: Path, what: str, when: int) -> None:
    environment = {**os.environ, **server.environment(), "XDG_DATA_HOME": str(home), "HYDRA_NEO4J_HOME": str(home)}
    command = [sys.executable, "-c", VICTIM, server.uri, what, str(SAMPLE), *map(str, (when, LINES, ROWS))]
    done = subprocess.run(command, capture_output=True, check=False, timeout=120, env=environment)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


@pytest.fixture(autouse=True, scope="module")
def small_chunks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (writer, stores):
            patch.setattr(module, "ROWS", ROWS)
        yield


@pytest.fixture
def store(neo4j_database: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Neo4jStore]:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with neo4j_stores.empty() as made:
        assert isinstance(made, Neo4jStore)
        yield made


@pytest.fixture(scope="module")
def undisturbed(neo4j_database: Server, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, ...]:
    """What a load that nobody kills leaves."""
    with pytest.MonkeyPatch.context() as patch, neo4j_stores.empty() as made:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        load_files(made, [SAMPLE], LoadOptions(limit=LINES))
        return state()


def test_a_killed_load_goes_on(
    store: Neo4jStore, neo4j_database: Server, tmp_path: Path, undisturbed: tuple[Any, ...]
) -> None:
    die(neo4j_database, tmp_path, "load", 12)
    with store.snapshot() as snapshot:
        assert snapshot.manifest() == ()
    load_files(store, [SAMPLE], LoadOptions(limit=LINES))
    assert state() == undisturbed


def test_a_load_that_stops_after_every_chunk_leaves_out_none_and_writes_none_twice(
    store: Neo4jStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Begun again after each of its chunks: row for row what an undisturbed load leaves."""
    keys = [f"m.0{c}" for c in "bcdfgh"]
    spec = Spec(
        "a",
        (Source("one"), Source("two")),
        sorted((s, f"p{n % 3}", o, n % 2) for n, (s, o) in enumerate(itertools.permutations(keys[:4], 2))),
        values=[(key, "year", f'"{1990 + n}"^^xsd:gYear', n % 2) for n, key in enumerate(keys)],
        names=[(key, "name", f"Name of {key}") for key in keys],
        same_as=[(key, f"Q{n}") for n, key in enumerate(keys[:6], 1)],
        passages=[(key, "About", f"{key} is a thing.") for key in keys],
    )
    for name in ("ROWS", "TEXTS"):
        monkeypatch.setattr(writer if name == "ROWS" else chunks, name, 4)
    written: list[int] = []
    whole, stops = writer._write_chunk, [True]

    def one(db: Any, load: int, owner: str, chunk: chunks.Chunk) -> None:
        if stops[0] and len(written) > before:
            raise StoppedError
        whole(db, load, owner, chunk)
        written.append(chunk.number)

    monkeypatch.setattr(writer, "_write_chunk", one)
    for _ in range(100):
        before = len(written)
        load = store.begin(graphs.SimpleLoadPlan("a", spec.sources))
        try:
            load.write(graphs.stage(spec))
            break
        except StoppedError:
            load.release()
    else:
        pytest.fail("it comes to no end")
    load.commit({"file": "a.nt"})
    assert len(written) > 12
    assert len(written) == len(set(written))
    found = everything(neo4j_stores.opened())
    store.drop("a")
    stops[0] = False
    graphs.put(store, spec)
    assert differences(found, everything(neo4j_stores.opened())) == []


class StoppedError(Exception):
    """The program was stopped here."""


@pytest.mark.parametrize("when", [2, 12])
def test_a_killed_drop_is_finished_by_the_next_load(
    store: Neo4jStore, neo4j_database: Server, tmp_path: Path, undisturbed: tuple[Any, ...], when: int
) -> None:
    load_files(store, [SAMPLE], LoadOptions(limit=LINES))
    die(neo4j_database, tmp_path, "drop", when)
    if store.loads()[0]["state"] == "ready":  # it died before the flip
        store.drop("freebase")
    load_files(store, [SAMPLE], LoadOptions(limit=LINES))
    assert state() == undisturbed


def test_a_drop_leaves_nothing(store: Neo4jStore) -> None:
    load_files(store, [SAMPLE], LoadOptions(limit=LINES))
    load_files(store, [find_content("sample", "wikidata.nt.gz")], LoadOptions(limit=LINES))
    load_files(
        store, [find_content("sample", "fb2w.nt.gz"), find_content("sample", "passages.jsonl")], LoadOptions(limit=300)
    )
    before = rows(LEFT)
    for name in ("freebase", "fb2w", "wikidata", "passages"):
        store.drop(name)
    assert before != [[0]]
    assert rows(LEFT) == [[0]]
    assert rows("MATCH ()-[r]->() WHERE NOT type(r) = 'MIGRATED_TO' RETURN count(r)") == [[0]]


def test_another_stage_than_the_killed_one_begins_anew(store: Neo4jStore) -> None:
    first = Spec("a", (Source("a"),), [("m.0b", "p", "m.0c", 0)], names=[("m.0b", "name", "Paris")])
    writer = store.begin(graphs.SimpleLoadPlan("a", first.sources))
    writer.write(graphs.stage(first))
    writer.release()
    graphs.put(store, Spec("a", (Source("a"),), [("m.0b", "p", "m.0d", 0)]))
    with store.snapshot() as snapshot:
        graph = snapshot.cut([ids.encode("m.0b")], depth=1)
        assert [f.object for f in snapshot.facts(graph.segment, graph.row)] == ["m.0d"]
        assert snapshot.find(["Paris"]) == [[]]
    assert rows("MATCH (n:HydraEntity) RETURN n.key") == [["m.0b"], ["m.0d"]]


def test_two_loads_of_one_name_at_once(store: Neo4jStore) -> None:
    writer = store.begin(graphs.SimpleLoadPlan("a", (Source("a"),)))
    with pytest.raises(StoreBusyError, match=f"process {os.getpid()}"):
        store.begin(graphs.SimpleLoadPlan("a", (Source("a"),)))
    with pytest.raises(StoreBusyError):
        store.drop("a")
    writer.abort()
    graphs.put(store, Spec("a", (Source("a"),)))


def test_a_reader_is_told_that_another_program_removed_what_it_reads(store: Neo4jStore) -> None:
    graphs.put(store, Spec("a", (Source("a"),), [("m.0b", "p", "m.0c", 0)]))
    other = Neo4jStore(store.url, driver=neo4j_stores.opened())

    def ask() -> None:
        with store.snapshot() as snapshot:
            snapshot.cut([ids.encode("m.0b")], depth=1)
            other.drop("a")

    with pytest.raises(StoreError, match="Ask again"):
        ask()


def test_predicates_with_hostile_names_are_stored_cut_and_dropped(store: Neo4jStore) -> None:
    keys = ["a`b", "`]->() DETACH DELETE n //", "\\u0060", "\\", "x y", "日本", "SAME_AS", "USED", "h"]
    graphs.put(store, Spec("a", (Source("a"),), sorted(("m.0b", key, "m.0c", 0) for key in keys)))
    with store.snapshot() as snapshot:
        for budget in (0, 1):
            graph = snapshot.cut([ids.encode("m.0b")], depth=2, budget=budget)
            assert len(graph) == (budget or len(keys))
        full = snapshot.cut([ids.encode("m.0b")], depth=1)
        assert sorted(f.predicate for f in snapshot.facts(full.segment, full.row)) == sorted(keys)
    store.drop("a")
    assert rows(LEFT) == [[0]]
