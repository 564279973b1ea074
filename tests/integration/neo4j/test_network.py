"""A network that is cut, held up or silent while a store on a server is written or read; and servers that are wrong."""

from __future__ import annotations

import gzip
import itertools
import logging
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from helpers.programs import own_environment
from helpers.samples import graphs
from helpers.samples.graphs import Spec
from helpers.servers import neo4j_stores
from helpers.servers.neo4j_server import Server, query
from helpers.servers.proxy import COMMIT, Proxy

from hydra_kg import ids
from hydra_kg.domain import Source
from hydra_kg.errors import HydraError, StoreBusyError, StoreError
from hydra_kg.stores.neo4j.connection import connect as connecting
from hydra_kg.stores.neo4j.connection.connect import connect
from hydra_kg.stores.neo4j.store import Neo4jStore
from hydra_kg.stores.neo4j.writes import owners
from hydra_kg.util.package_data import find_content

pytestmark = pytest.mark.server

NODES = [f"m.0{a}{b}" for a in "bcdfg" for b in "bcdfghjklm"]
SOURCES = (Source("one", "table"), Source("two", "table"))
BIG = Spec(
    "big",
    SOURCES,
    sorted((s, f"p{i % 3}", NODES[(i * 7 + 1) % len(NODES)], i % 2) for i, s in enumerate(NODES * 2)),
    values=[(s, "year", f'"{1900 + i}"^^xsd:gYear', i % 2) for i, s in enumerate(NODES)],
    names=[(s, "name", f"Name {s}") for s in NODES],
    same_as=[(s, f"Q{i + 1}") for i, s in enumerate(NODES[:9])],
    passages=[(s, "About", f"{s} is a thing.") for s in NODES[:20]],
)
FIRST = Spec("first", (Source("first"),), [(s, p, o, 0) for s, p, o, _ in BIG.links[:40]])
STATE = (
    "MATCH (a)-[r]->(b) WHERE r.fid IS NOT NULL RETURN r.fid, r.source, a.key, type(r), b.key, r.loc",
    "MATCH (v:HydraValue) RETURN v.fid, v.source, v.subject, v.predicate, v.o, v.loc",
    "MATCH (n:HydraEntity) RETURN n.id, n.name, n.cls, labels(n), [p IN n.parts | p % 1099511627776]",
    "MATCH (l:HydraLoad) RETURN l.name, l.state, l.facts, l.checksum, l.owner",
    "MATCH (n) WHERE NOT n:HydraClassChunk AND NOT labels(n)[0] STARTS WITH '__' RETURN labels(n)[0], count(*)",
    "MATCH ()-[r]->() RETURN type(r), count(*)",
)


def state() -> list[list[Any]]:
    """All that is in the graph but numbers of loads, read without the proxy."""
    with neo4j_stores.opened().session() as session:
        return [sorted((row.values() for row in session.run(query)), key=repr) for query in STATE]


def change(store: Neo4jStore) -> None:
    """Load, load again in its place, and drop one of two sources."""
    graphs.put(store, FIRST)
    graphs.put(store, BIG)
    graphs.put(store, BIG, replace=True)
    store.drop("two")
    store.drop("first")


@pytest.fixture
def proxy(neo4j_database: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Proxy]:
    """A way to the emptied server that can be cut; small chunks, and little patience."""
    neo4j_stores.hurry(neo4j_database, monkeypatch, tmp_path, rows=40)
    place = urlsplit(neo4j_database.uri)
    with neo4j_stores.empty(), Proxy(place.hostname or "localhost", place.port or 7687) as made:
        yield made


@pytest.fixture(scope="module")
def undisturbed(neo4j_database: Server, tmp_path_factory: pytest.TempPathFactory) -> list[list[Any]]:
    """What is there when nothing was cut."""
    with pytest.MonkeyPatch.context() as patch, neo4j_stores.empty() as store:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        neo4j_stores.small_chunks(patch, 40)
        assert isinstance(store, Neo4jStore)
        change(store)
        return state()


def test_nothing_is_doubled_or_lost_where_every_second_commit_came_through_unheard(proxy, undisturbed):
    unheard: set[int] = set()
    commits = 0

    def up(data: bytes, connection: int) -> bytes:
        nonlocal commits
        if data.endswith(COMMIT):
            commits += 1
            if commits % 2:
                unheard.add(connection)
        return data

    def down(data: bytes, connection: int) -> bytes | str:
        return "reset" if connection in unheard else data

    with Neo4jStore(proxy.url) as store:
        proxy.up, proxy.down = up, down
        change(store)
    assert commits > 60
    assert state() == undisturbed


def test_a_load_that_is_cut_now_and_then_goes_on(proxy, undisturbed):
    ways = ["reset", "close", "half"]
    passed, cuts = 0, 0

    def up(data: bytes, _: int) -> bytes | str:
        nonlocal passed, cuts
        passed += len(data)
        if passed > 40_000 and cuts < len(ways):
            passed, cuts = 0, cuts + 1
            return ways[cuts - 1]
        return data

    with Neo4jStore(proxy.url) as store:
        proxy.up = up
        change(store)
    assert cuts == 3
    assert state() == undisturbed


@pytest.mark.parametrize("how", ["reset", "close", "half"])
def test_a_question_that_is_cut_is_asked_again(proxy, how):
    with Neo4jStore(proxy.url) as store:
        graphs.put(store, BIG)
        start = [ids.encode(n) for n in NODES[:5]]
        with store.snapshot() as snapshot:
            whole = snapshot.cut(start, depth=2)
    cuts = 0

    def down(data: bytes, connection: int) -> bytes | str:
        nonlocal cuts
        if cuts < 2:
            cuts += 1
            return how
        return data

    with Neo4jStore(proxy.url) as store, store.snapshot() as snapshot:
        proxy.down = down
        again = snapshot.cut(start, depth=2)
        assert sorted(zip(again.src.tolist(), again.row.tolist(), strict=True)) == sorted(
            zip(whole.src.tolist(), whole.row.tolist(), strict=True)
        )
    assert cuts == 2


def test_a_server_that_is_gone_is_said_and_the_same_load_again_finishes_it(proxy, undisturbed, monkeypatch):
    monkeypatch.setattr(connecting, "RETRY", 1.0)
    chunks = 0

    def up(data: bytes, _: int) -> bytes | str:
        nonlocal chunks
        chunks += data.endswith(COMMIT)
        if chunks > 8:
            proxy.refusing = True
            return "reset"
        return data

    with Neo4jStore(proxy.url) as store:
        proxy.up = up
        load = store.begin(graphs.SimpleLoadPlan("big", SOURCES))
        with pytest.raises(StoreError, match="cannot be reached"):
            load.write(graphs.stage(BIG))
        load.release()
        with pytest.raises(StoreError, match="cannot be reached"):
            store.loads()
        proxy.refusing, proxy.up = False, lambda data, _: data
        graphs.put(store, FIRST)
        graphs.put(store, BIG)
        store.drop("two")
        store.drop("first")
    assert state()[0] == undisturbed[0]
    assert state()[5] == undisturbed[5]


def test_a_network_that_says_nothing_any_more_does_not_hold_a_question_for_ever(proxy):
    """The server tells drivers after how much silence to give up: here it says one second."""
    silent = True

    def down(data: bytes, connection: int) -> bytes | str:
        if silent and connection == 2:
            return "silence"
        return data.replace(b"connection.recv_timeout_seconds\x78", b"connection.recv_timeout_seconds\x01")

    proxy.down = lambda data, _: down(data, 0)
    with Neo4jStore(proxy.url) as store:
        graphs.put(store, Spec("a", (Source("a"),), [("m.0b", "p", "m.0c", 0)]))
        held = proxy.connections
        proxy.down = lambda data, n: down(data, 2 if n <= held else 0)
        assert [load["name"] for load in store.loads()] == ["a"]
        assert proxy.connections > held


# --- two at once -----------------------------------------------------------------------------------------------------


def test_two_loads_that_share_nodes_and_a_drop_between_them_lose_nothing(neo4j_database, proxy):
    """Every node must know every load, whoever wrote or removed at the same moment."""
    links = sorted({(s, o) for s, _, o, _ in BIG.links})
    specs = [Spec(name, (Source(name),), [(s, name, o, 0) for s, o in links]) for name in "abc"]
    faults: list[BaseException] = []

    def work(spec: Spec) -> None:
        try:
            with Neo4jStore(proxy.url) as store:
                for last in (False, True):
                    graphs.put(store, spec)
                    if not last:
                        store.drop(spec.name)
        except BaseException as e:
            faults.append(e)

    threads = [threading.Thread(target=work, args=(spec,)) for spec in specs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    with Neo4jStore(proxy.url) as store, store.snapshot() as snapshot:
        graph = snapshot.cut([ids.encode(n) for n in NODES], depth=1)
        facts = [f.source.name for f in snapshot.facts(graph.segment, graph.row)]
        assert {name: facts.count(name) for name in "abc"} == dict.fromkeys("abc", len(links))
    parts = state()[2]
    assert {len(row[4]) for row in parts} == {3}


def test_who_holds_a_load_is_said_and_a_killed_one_elsewhere_is_taken_over(proxy, monkeypatch):
    driver = neo4j_stores.opened()
    with Neo4jStore(proxy.url) as store:
        holder = store.begin(graphs.SimpleLoadPlan("big", SOURCES))
        # A process of another machine: its number says nothing here, its signs of life do, by the server's clock.
        monkeypatch.setattr(owners, "_writing", set())
        query(driver, "MATCH (l:HydraLoad) SET l.owner = 'elsewhere ' + split(l.owner, ' ')[1] + ' 1 there x'")
        with pytest.raises(StoreBusyError, match=f"by process {os.getpid()} on elsewhere"):
            store.begin(graphs.SimpleLoadPlan("big", SOURCES))
        with pytest.raises(StoreBusyError):
            store.drop("big")
        query(driver, "MATCH (l:HydraLoad) SET l.beat = timestamp() - $lost", lost=owners.LOST)
        graphs.put(store, BIG)
        with pytest.raises(StoreError):
            holder.commit({})
        assert [(load["name"], load["state"]) for load in store.loads()] == [("big", "ready")]


def test_a_holder_that_was_taken_over_can_neither_write_nor_flip(proxy):
    driver = neo4j_stores.opened()
    with Neo4jStore(proxy.url) as store:
        holder = store.begin(graphs.SimpleLoadPlan("big", SOURCES))
        holder.write(graphs.stage(BIG))
        query(driver, "MATCH (l:HydraLoad) SET l.owner = 'elsewhere 1 1 there x'")
        with pytest.raises(StoreBusyError, match="taken this load over"):
            holder.commit({})
        with store.snapshot() as snapshot:
            assert snapshot.manifest() == ()


def test_a_process_with_the_number_of_a_killed_one_is_not_it():
    own = owners.new_owner()
    host, pid, begun, place, name = own.split(" ")
    owners.forget_owner(own)
    assert not owners.is_alive(own, idle=0)  # this process, but it no longer writes
    parent = os.getppid()
    assert not owners.is_alive(f"{host} {parent} 1 {place} {name}", idle=0)
    assert owners.is_alive(f"{host} {parent} {owners._begun(parent)} {place} {name}", idle=owners.LOST * 9)
    assert begun.isdigit()
    assert owners.is_alive(f"{host} {pid} {begun} elsewhere {name}", idle=0)
    assert not owners.is_alive(f"{host} {pid} {begun} elsewhere {name}", idle=owners.LOST)
    assert not owners.is_alive("", idle=0)


# --- servers that are wrong ------------------------------------------------------------------------------------------


def test_a_server_that_is_too_old_is_said(proxy):
    proxy.down = lambda data, _: data.replace(b"Neo4j/5.26.", b"Neo4j/4.4.1")
    with pytest.raises(StoreError, match=r"is Neo4j 4\.4.*too old.*\n.*5\.26"):
        connect(proxy.url)


@pytest.mark.parametrize("scheme", ["bolt+s", "neo4j+s", "bolt+ssc"])
def test_encryption_that_the_server_does_not_speak_is_said(proxy, scheme):
    with pytest.raises(StoreError, match=r"No encrypted connection|not Neo4j's Bolt"):
        connect(proxy.url.replace("bolt", scheme))


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
@pytest.mark.parametrize(
    "said", [b"", b"\x00\x00\x00\x00", b"\xff" * 400, b"SSH-2.0-OpenSSH_9.2\r\n", b"\x00\x00\x04\x05\xff"]
)
def test_whatever_answers_ends_with_a_clear_error(proxy, monkeypatch, scheme, said):
    monkeypatch.setattr(connecting, "REACH", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as other:

        def respond() -> None:
            while True:
                try:
                    caller, _ = other.accept()
                except OSError:
                    return
                with caller:
                    caller.recv(100)
                    caller.sendall(said)

        thread = threading.Thread(target=respond, daemon=True)
        thread.start()
        with pytest.raises(StoreError, match=r"cannot be reached|not Neo4j's Bolt") as raised:
            connect(f"{scheme}://127.0.0.1:{other.getsockname()[1]}")
        assert raised.value.remedy
        other.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.mark.parametrize(
    "code, words",
    [
        ("Neo.ClientError.General.WriteOnReadOnlyAccessDatabase", "may only be read"),
        ("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase", "may only be read"),
        ("Neo.ClientError.Security.Forbidden", "does not let the user"),
        ("Neo.TransientError.General.DatabaseUnavailable", "stopped or failed"),
        ("Neo.DatabaseError.Transaction.TransactionLogError", "cannot write to its disk"),
        ("Neo.ClientError.Database.DatabaseNotFound", "has no database"),
        ("Neo.TransientError.General.OutOfMemoryError", "could not do it"),
    ],
)
def test_what_a_server_refuses_has_a_remedy(code, words):
    from neo4j.exceptions import Neo4jError

    error = Neo4jError._hydrate_neo4j(code=code, message="it said so")
    said = connecting.explain(error, "bolt://example.org")
    assert words in str(said)
    assert said.remedy


# --- secrets ---------------------------------------------------------------------------------------------------------

TALKATIVE = """
import logging, sys
logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
from hydra_kg.cli.main import main
sys.argv[0] = "hydra-kg"
main()
"""


def test_the_password_is_in_no_output_log_file_or_command_line(neo4j_database, proxy, tmp_path):
    """Not even where somebody has switched all logs of all libraries on."""
    environment = own_environment(drop=())
    password = neo4j_database.password
    file = tmp_path / "few.nt"
    with gzip.open(find_content("sample", "fb2w.nt.gz"), "rt") as lines:
        file.write_text("".join(itertools.islice(lines, 20)))
    commands = (
        ["load", str(file), "--store", proxy.url, "--debug"],
        ["load", str(file), "--store", proxy.url, "--debug"],  # an error
        ["sources", "drop", "few", "--yes", "--store", proxy.url],
    )
    seen: set[bytes] = set()
    for words in commands:
        with (tmp_path / "said").open("w+b") as said:
            process = subprocess.Popen(
                [sys.executable, "-c", TALKATIVE, *words],
                stdout=said,
                stderr=said,
                stdin=subprocess.DEVNULL,
                env=environment,
            )
            while process.returncode is None:
                seen |= _command_lines()
                with suppress(subprocess.TimeoutExpired):
                    process.wait(0.05)
            said.seek(0)
            text = said.read()
        assert b"neo4j" in text.lower()
        assert password.encode() not in text
    assert seen
    assert not any(password.encode() in line for line in seen)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert password.encode() not in path.read_bytes(), path
    if neo4j_database.home:
        for path in (neo4j_database.home / "logs").rglob("*"):
            assert password.encode() not in path.read_bytes(), path


def _command_lines() -> set[bytes]:
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found.add((entry / "cmdline").read_bytes())
            except OSError:
                continue
    return found


def test_errors_and_logs_of_a_wrong_password_do_not_say_it(proxy, monkeypatch, caplog):
    monkeypatch.setenv("NEO4J_PASSWORD", "canary-of-a-password")
    with caplog.at_level(logging.DEBUG), pytest.raises(HydraError) as raised:
        connect(proxy.url)
    error: BaseException | None = raised.value
    while error is not None:
        assert "canary" not in f"{error!r} {error}"
        error = error.__cause__ or error.__context__
    assert "canary" not in caplog.text
