"""Bulk loads leave what the online load leaves, later loads go on from there, and a failure leaves the old store."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from helpers.excerpt import excerpt
from helpers.samples.copies import both, fill
from helpers.servers import neo4j_stores
from helpers.servers.neo4j_server import Server, local_server, prepare

from bench.memory_stage import FactRow, MemoryStage, SimpleLoadPlan
from hydra_kg import Settings
from hydra_kg.domain import Source
from hydra_kg.errors import DiskFullError, StoreBusyError, StoreError, UsageError
from hydra_kg.evaluate.questions.datasets import read_questions
from hydra_kg.events import Event
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.ingest.report import LoadReport
from hydra_kg.ports import Store
from hydra_kg.reasoner import Reasoner
from hydra_kg.serialise import answer_json
from hydra_kg.stores.copying import copy_store
from hydra_kg.stores.neo4j.bulk import bulk_choice, local_import
from hydra_kg.stores.neo4j.bulk.bulk_choice import bulk_load, import_files
from hydra_kg.stores.neo4j.bulk.import_tool import ARGUMENTS
from hydra_kg.stores.neo4j.connection.local_home import Home
from hydra_kg.stores.neo4j.doctor import examine
from hydra_kg.stores.neo4j.local_server import java
from hydra_kg.stores.neo4j.store import Neo4jStore
from hydra_kg.stores.neo4j.traces.traces import Neo4jTraces
from hydra_kg.util.package_data import find_content

pytestmark = pytest.mark.server

FILES = [find_content("sample", name) for name in ("freebase.nt.gz", "wikidata.nt.gz", "fb2w.nt.gz", "passages.jsonl")]
FEW = 300  # lines of each file but the graphs
QUESTIONS = list(read_questions(find_content("sample", "questions.jsonl")))[:2]
VOLATILE = {"beat", "check", "created", "flipped", "locked", "owner"}
HOSTILE = [
    "a,b",
    'q"uo"te',
    '"start',
    "new\nline",
    "cr\rlf\r\n",
    "tab\t",
    "back\\slash",
    "\\",
    "日本 é ß",
    "--",
    " lead",
    "trail ",
    "x" * 3000,
    "'; DROP",
    "#c",
    ";semi",
    "",
    "\\N",
    "NULL",
    "1",
    "-1",
    "\u2028u",
    "nb\u00a0sp",
    "`tick`",
    "SAME_AS",
    "the the The",
    "\ud800",
    "a\x00b",
]


def hostile() -> MemoryStage:
    """Every text of every stream is one that a file format could trip over."""
    # The server has no types with a NUL in their names.
    links = [FactRow(f"x{i}", text.replace("\0", ""), f"y{text}", i, i % 2) for i, text in enumerate(HOSTILE)]
    links += [
        FactRow("m.0b", "p", "m.0c", 5, qualifiers=(("P1", '"z"'),)),
        FactRow(
            "m.0b",
            "p",
            "m.0c",
            6,
            rank="deprecated",
            confidence=0.1,
            qualifiers=(("P1", '"q\n,"'),),
            locator='{"a": ",\\"\\n"}',
        ),
    ]
    values = [FactRow("m.0b", 'lit,"', f'"{text}"@en', i) for i, text in enumerate(HOSTILE)]
    values += [
        FactRow("m.0b", "n", literal)
        for literal in (
            '"42"^^xsd:integer',
            '"-7"^^xsd:integer',
            '"0007"^^xsd:gYear',
            '"2001-02-03"^^xsd:date',
            '"1.5"^^xsd:decimal',
        )
    ]
    names = [("m.0b", kind, text + tail) for text in HOSTILE for kind, tail in (("name", ""), ("alias", " al"))]
    return MemoryStage(
        links,
        values=values,
        names=[*names, ("m.0c", "title", "T T t"), ("m.0c", "description", "d\n" * 5)],
        mediators=["x1"],
        predicates={"p": ("text\n", "inv,")},
        same_as=[("m.0b", "Q1", 3), ("Q7", "g.11x", 4)],
        passages=[
            ("m.0b" if i % 2 else "", text, f"http://u/{text}", f"{text} runs running", i)
            for i, text in enumerate(HOSTILE)
        ],
    )


PLAN = SimpleLoadPlan("host,ile", (Source("s,1"), Source('s"2', trust=0.5)))


@pytest.fixture(scope="module")
def server(neo4j_server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A local server: only the data of such a one is swapped."""
    with local_server(neo4j_server, tmp_path_factory) as made:
        with store(made) as opened:
            wipe(opened)
        yield made
        with store(made) as opened:
            wipe(opened)
        neo4j_stores.forget_connections()  # of before a swap


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """What the two graphs of the sample say of what two of its questions are about."""
    return excerpt(tmp_path_factory.mktemp("excerpt"), QUESTIONS)[:2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in a folder, to be copied: two loads."""
    made = tmp_path_factory.mktemp("copied") / "store"
    fill(made, both("l"))
    return made


@pytest.fixture(scope="module")
def online(server: Server, folder: Path, graphs: list[Path]) -> dict[str, Any]:
    """What the online ways leave: the sample, the hostile stage and a copy; and the hostile stage alone."""
    found = {}
    with store(server) as opened:
        before(opened, graphs)
        load_files(opened, FILES[2:], LoadOptions(limit=FEW, replace=True))
        write_hostile(opened)
        copy_store(folder, server.uri, bulk_way="online")
        found["all"], found["answers"] = dump(opened), answers(opened)
        assert all(answered for answered, *_ in found["answers"])
        wipe(opened)
        write_hostile(opened)
        found["hostile"] = dump(opened)
        wipe(opened)
    return found


def write_hostile(target: Any) -> None:
    """The hostile stage, with a file that was attached."""
    writer = target.begin(PLAN)
    writer.write(hostile())
    rejects = Path(os.environ["XDG_DATA_HOME"]) / "rejects.tsv.gz"
    rejects.write_bytes(bytes(range(256)) * 4)
    writer.attach(rejects)
    writer.commit({"file": "a\nb,c"})


def before(opened: Neo4jStore, graphs: list[Path]) -> None:
    """What is there already: two loads that stay, and one that is to be replaced."""
    load_files(opened, graphs)
    load_files(opened, FILES[3:], LoadOptions(limit=10))


@contextmanager
def store(server: Server) -> Iterator[Neo4jStore]:
    with Neo4jStore(server.uri) as opened:
        yield opened


def wipe(opened: Neo4jStore) -> None:
    with opened.db._driver.session() as session:
        session.run("MATCH (n) WHERE NOT n:__Neo4jMigration CALL (n) { DETACH DELETE n } IN TRANSACTIONS").consume()


def query(opened: Neo4jStore, text: str) -> list[Any]:
    with opened.db._driver.session() as session:
        return [record.values() for record in session.run(text)]


def plain(properties: dict[str, Any]) -> str:
    """Properties without what differs from run to run; JSON texts as values."""
    kept = {k: v for k, v in properties.items() if k not in VOLATILE and v != []}
    for key in ("counts", "details", "texts"):
        if isinstance(kept.get(key), str) and kept[key].startswith("{"):
            kept[key] = json.dumps(json.loads(kept[key]), sort_keys=True)
    return repr(sorted(kept.items()))


def dump(opened: Neo4jStore) -> tuple[list[Any], list[Any]]:
    """Every node and every relationship with its properties; migrations and classes of older generations left out."""
    nodes = query(
        opened,
        "MATCH (n) WHERE NOT n:__Neo4jMigration AND NOT n:__Neo4jMigrationsLock"
        " AND (NOT n:HydraClassChunk OR EXISTS { MATCH (s:HydraStore) WHERE s.generation ="
        " n.generation }) RETURN labels(n), properties(n)",
    )
    links = query(
        opened,
        "MATCH (a)-[r]->(b) WHERE type(r) <> 'MIGRATED_TO'"
        " RETURN toString(coalesce(a.id, a.name)), type(r), properties(r),"
        " toString(coalesce(b.id, b.name))",
    )
    return (
        sorted((sorted(labels), plain(p)) for labels, p in nodes),
        sorted((str(a), kind, plain(p), str(b)) for a, kind, p, b in links),
    )


def answers(opened: Neo4jStore) -> list[Any]:
    """Answers to two of the sample's questions, without what a clock says."""
    reasoner = Reasoner(opened, settings=Settings(retrieval={"edge_budget": 20_000}))
    found = []
    for question in QUESTIONS:
        doc = answer_json(reasoner.ask(question.text))
        found.append([doc["answers"], doc["paths"], doc["citations"], doc["truncated"], doc["verdict"]])
    return found


def expected(report: LoadReport) -> int:
    return sum(round(load.forecast["facts"]) for load in report.loads)


def run_bulk(server: Server, files: list[Path], way: Any = "import", **choices: Any) -> tuple[LoadReport, list[Event]]:
    events: list[Event] = []

    def run(target: Store, dry_run: bool) -> LoadReport:
        return load_files(target, files, LoadOptions(dry_run=dry_run, **choices), listener=events.append)

    report, _ = bulk_load(server.uri, run, expected=expected, way=way, listener=events.append, tell=print)
    return report, events


def test_it_leaves_what_the_online_ways_leave_and_the_next_goes_on(
    server: Server, online: dict[str, Any], folder: Path, graphs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One import: loads of files, of which one takes the place of an older one, a hostile one, and a copy of a store
    are staged; two are read back."""
    with store(server) as opened:
        before(opened, graphs)
        traces = Neo4jTraces(opened.db)
        traces.save(
            answer_json(Reasoner(opened, settings=Settings(retrieval={"edge_budget": 20_000})).ask(QUESTIONS[0].text))
        )
        kept = traces.list()
        with pytest.raises(StoreError, match="loaded already"):
            run_bulk(server, graphs[:1])
    events: list[Event] = []
    loaded: list[LoadReport] = []

    def with_files(url: str, copy: Any, **choices: Any) -> Any:
        def run(target: Store, dry_run: bool) -> Any:
            options = LoadOptions(limit=FEW, replace=True, dry_run=dry_run)
            loaded.append(load_files(target, FILES[2:], options, listener=events.append))
            if not dry_run:
                write_hostile(target)
            return copy(target, dry_run)

        return bulk_load(url, run, **choices)

    monkeypatch.setattr(bulk_choice, "bulk_load", with_files)
    copied, landed = copy_store(folder, server.uri, bulk_way="import", listener=events.append)
    monkeypatch.undo()
    assert landed
    assert [load.copied for load in copied.loads] == [True, True]
    assert [load.name for load in loaded[-1].loads] == ["fb2w", "passages"]
    wanted = {"load.files", "load.import", "load.index", "load.check", "load.swap", "copy.write"}
    assert {e.kind for e in events} >= wanted
    with store(server) as opened:
        traces = Neo4jTraces(opened.db)
        assert [dict(row) for row in traces.list()] == [dict(row) for row in kept]
        assert traces.get(kept[0]["id"])["question"] == QUESTIONS[0].text
        assert [f.what for f in examine(server.uri) if f.level == "error"] == []
        assert answers(opened) == online["answers"]
        traces.remove(kept[0]["id"])
        nodes, links = dump(opened)
        assert nodes == online["all"][0]  # to the last property
        assert links == online["all"][1]
        again, landed = copy_store(folder, server.uri)
        assert [load.copied for load in again.loads] == [False, False]
        # Small things go online by themselves; an import would find the stage of everything else that is there.
        opened.drop("passages")
        _, events = run_bulk(server, FILES[3:], "auto")
        (chosen,) = [e.data for e in events if e.kind == "load.ways"]
        assert chosen["chosen"] == "online"
        assert chosen["read_back"] == 0
        for name in ("passages", "freebase", "wikidata", "fb2w", PLAN.name, *(load.name for load in copied.loads)):
            opened.drop(name)
        left = query(
            opened,
            "MATCH (n) WHERE NOT n:HydraStore AND NOT n:HydraClassChunk AND NOT n:__Neo4jMigration"
            " AND NOT n:__Neo4jMigrationsLock RETURN labels(n), count(*)",
        )
        assert left == []
        wipe(opened)


def test_after_a_failure_the_old_store_is_served(
    server: Server, online: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise DiskFullError("full", remedy="free some")

    with store(server) as opened:
        load_files(opened, FILES[2:3], LoadOptions(limit=FEW))
        for step in ("run_import", "check"):
            with monkeypatch.context() as patch:
                patch.setattr(local_import, step, fail)
                if step == "check":  # nor does the server: only what stands before it is tested here
                    patch.setattr(local_import, "run_import", lambda *_, **__: None)
                    patch.setattr(local_import.SecondServer, "open", lambda *_, **__: opened)
                with pytest.raises(DiskFullError):
                    run_bulk(server, FILES[3:])
            assert [load["name"] for load in opened.loads()] == ["fb2w"], step
            bulk = Home(server.home).bulk if server.home else Path()
            left = {p.name for p in bulk.iterdir() if any(p.rglob("*")) or p.is_file()}
            assert left <= {"kept", "lock"}, step
        opened.drop("fb2w")


def test_what_others_keep_in_the_database_is_not_lost(server: Server, online: dict[str, Any]) -> None:
    with store(server) as opened:
        query(opened, "CREATE (:Thesis {title: 'mine'})-[:CITES]->(:Book)")
        with pytest.raises(StoreError, match=r"2 nodes that hydra-kg did not write \(.*Thesis"):
            run_bulk(server, FILES[3:])
        assert list(opened.loads()) == []
        _, events = run_bulk(server, FILES[3:], "auto")
        (chosen,) = [e.data for e in events if e.kind == "load.ways"]
        assert (chosen["chosen"], chosen["import"]["possible"]) == ("online", False)
        assert query(opened, "MATCH (t:Thesis)-[:CITES]->(:Book) RETURN t.title") == [["mine"]]
        wipe(opened)


def test_a_load_that_is_under_way_is_waited_for(server: Server, online: dict[str, Any]) -> None:
    with store(server) as opened:
        writer = opened.begin(SimpleLoadPlan("a", (Source("a"),)))
        with pytest.raises(StoreBusyError):
            run_bulk(server, FILES[3:])
        writer.abort()


def test_the_printed_command_imports_whatever_the_texts_are(
    server: Server, online: dict[str, Any], tmp_path: Path
) -> None:
    """As many nodes and relationships as an online load makes; that such files hold the right ones is said above."""
    assert server.home is not None
    with import_files("neo4j://elsewhere.invalid:1", tmp_path / "out put", tell=print) as job:
        write_hostile(job.target)
        command, after = job.finish()
    assert after == "hydra-kg db migrate --store neo4j://elsewhere.invalid:1"
    assert "--id-type=integer" in (tmp_path / "out put" / ARGUMENTS).read_text("utf-8").splitlines()
    home = Home(tmp_path / "home")
    prepare(home, jars=server.home)
    home.data.mkdir()
    (home.conf / "neo4j.conf").touch()
    shim = tmp_path / "bin" / "neo4j-admin"  # as the server's own script does
    shim.parent.mkdir()
    words = " ".join(f"'{word}'" for word in java.admin(java.find_java(), home))
    shim.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    shim.chmod(0o755)
    environment = {**os.environ, **java.environment(home), "PATH": f"{shim.parent}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", command], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    nodes, links = (len(rows) for rows in online["hostile"])
    assert re.search(rf"\b{nodes} nodes\n *{links} relationships\n", done.stdout), done.stdout


def test_a_server_that_holds_loads_is_not_overwritten(server: Server, online: dict[str, Any], tmp_path: Path) -> None:
    with store(server) as opened:
        load_files(opened, FILES[3:])
        with pytest.raises(StoreError, match="passages"), import_files(server.uri, tmp_path / "new", tell=print):
            pass
        opened.drop("passages")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    with pytest.raises(UsageError, match="something else"), import_files(server.uri, tmp_path / "mine", tell=print):
        pass
    assert (tmp_path / "mine" / "thesis.txt").exists()


def test_the_files_of_a_copy_are_written(server: Server, online: dict[str, Any], folder: Path, tmp_path: Path) -> None:
    events: list[Event] = []
    _, landed = copy_store(folder, server.uri, bulk_files=tmp_path / "files", listener=events.append)
    assert not landed
    assert [e.data["folder"] for e in events if e.kind == "load.command"] == [str(tmp_path / "files")]
    with store(server) as opened:
        assert list(opened.loads()) == []


def test_a_folder_is_no_server(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="full speed"):
        bulk_load(str(tmp_path), lambda *_: LoadReport((), 0), expected=expected, listener=print, tell=print)
