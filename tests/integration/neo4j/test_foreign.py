"""Nodes, relationships and properties of others on a server: nothing of ours reads, changes, binds or believes them.

What others change in nodes of ours ends in one clear error.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from helpers.samples.answers import MOZART, PASSAGE, SALZBURG, answer
from helpers.servers.neo4j_server import Server, query, wipe
from neo4j.exceptions import ClientError

from bench.memory_stage import FactRow, MemoryStage, SimpleLoadPlan
from hydra_kg.cli.main import main
from hydra_kg.domain import Claimed, Exploration, Source, TextFinding
from hydra_kg.errors import StoreCorruptError, StoreError
from hydra_kg.events import Event
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.serialise import answer_json
from hydra_kg.stores.common.kept_answer import ANSWER
from hydra_kg.stores.neo4j.bulk.bulk_choice import bulk_load, import_files
from hydra_kg.stores.neo4j.connection.connect import connect
from hydra_kg.stores.neo4j.connection.hydra_labels import LABELS
from hydra_kg.stores.neo4j.connection.migrations import migrate, migrations, schema_status
from hydra_kg.stores.neo4j.doctor import examine
from hydra_kg.stores.neo4j.store import Neo4jStore
from hydra_kg.stores.neo4j.traces.traces import Neo4jTraces
from hydra_kg.util.package_data import find_content

pytestmark = pytest.mark.server

OURS = "any(label IN labels(n) WHERE label STARTS WITH 'Hydra' OR label STARTS WITH '__Neo4jMigration')"
NODES = f"MATCH (n) WHERE NOT {OURS} RETURN elementId(n) AS i, labels(n) AS labels, properties(n) AS p ORDER BY i"
LINKS = f"""
    MATCH (n)-[r]->(m) WHERE NOT {OURS} RETURN elementId(n) AS a, type(r) AS t, properties(r) AS p, elementId(m) AS b
    ORDER BY a, t, b
"""
STAGE = MemoryStage(
    [
        FactRow("m.0b", "p", "m.0c"),
        FactRow("m.0b", "q", "x1", 1, qualifiers=(("P1", '"z"'),)),
        FactRow("m.0c", "p", "m.0d", 2, 1),
    ],
    values=[FactRow("m.0b", "n", '"42"'), FactRow("m.0c", "n", '"43"', 1, 1)],
    names=[("m.0b", "name", "Ferry"), ("m.0c", "name", "Harbour"), ("m.0d", "alias", "Quay")],
    mediators=["x1"],
    predicates={"p": ("text", "")},
    same_as=[("m.0b", "Q1", 3)],
    passages=[("m.0b", "T", "http://u/", "It runs.", 1)],
)
PLAN = SimpleLoadPlan("twin", (Source("one"), Source("two")))


@dataclass(frozen=True)
class Database:
    """The server's database, emptied, with its driver; ``others`` is all that is not ours, to be compared."""

    server: Server
    driver: Any

    def rows(self, text: str, **parameters: Any) -> list[list[Any]]:
        return [list(record.values()) for record in query(self.driver, text, **parameters).records]

    def others(self) -> str:
        return repr((self.rows(NODES), self.rows(LINKS)))


@pytest.fixture
def database(empty_neo4j: Server) -> Iterator[Database]:
    with connect(empty_neo4j.uri) as driver:
        yield Database(empty_neo4j, driver)


@pytest.fixture
def kept_schema(neo4j_cleared: Server) -> Iterator[Database]:
    """The same, but with the schema that the test before has left."""
    with connect(neo4j_cleared.uri) as driver:
        yield Database(neo4j_cleared, driver)


LEFT = {"HydraStore", "HydraClassChunk", "__Neo4jMigration", "__Neo4jMigrationsLock"}
"""Of what is ours when everything was dropped: the store's own node, classes that readers may hold, the chain."""


def left(database: Database) -> set[str]:
    """The labels of what is ours."""
    found = database.rows(f"MATCH (n) WHERE {OURS} RETURN DISTINCT labels(n)")
    return {label for (labels,) in found for label in labels}


def fill(store: Neo4jStore, plan: SimpleLoadPlan = PLAN, file: Path | None = None) -> None:
    """One load with rows of every kind."""
    writer = store.begin(plan)
    if file is not None:
        writer.attach(file)
    writer.write(STAGE)
    writer.commit({"file": "twin"})


def kept_answer() -> dict[str, Any]:
    """An answer whose trace has nodes of every kind."""
    claims = (Claimed("one", MOZART, "birth", SALZBURG, 1.0, True), Claimed("two", MOZART, "birth", MOZART, 0.0, False))
    made = answer()
    judged = Exploration("confidence", (MOZART,), "", 1, claims=claims)
    findings = (TextFinding("agrees", "Salzburg", PASSAGE, 0.61), TextFinding("differs", "Vienna", PASSAGE, 0.58))
    return dict(answer_json(replace(made, explorations=(*made.explorations, judged), findings=findings)))


def twins(database: Database, tmp_path: Path) -> str:
    """Somebody else's nodes: twice what we would write ourselves, with our loads' numbers and all other properties,
    under labels without our prefix. What they are, to be compared."""
    file = tmp_path / "rejects.tsv"
    file.write_text("rejected")
    with Neo4jStore(database.server.uri) as store:
        fill(store, file=file)
        Neo4jTraces(store.db).save(kept_answer())
    made = database.rows(
        "MATCH (n) WHERE any(l IN labels(n) WHERE l STARTS WITH 'Hydra') RETURN labels(n), properties(n)"
    )
    assert {label for labels, _ in made for label in labels} >= set(LABELS) - {f"HydraVoice{n}" for n in range(3, 9)}
    wipe(database.driver)
    for labels, properties in made:
        names = [label.removeprefix("Hydra") for label in labels]
        database.rows("UNWIND [1, 2] AS twin CREATE (n:$($names)) SET n = $p", names=names, p=properties)
    database.rows("MATCH (a:Entity) MATCH (b:Document) CREATE (a)-[:OWNS {h: 1099511627776, load: 1, fid: 7}]->(b)")
    assert len(database.rows(NODES)) == 2 * len(made)
    return database.others()


def test_whatever_we_do_leaves_what_others_keep(database: Database, tmp_path: Path) -> None:
    before = twins(database, tmp_path)
    with Neo4jStore(database.server.uri) as store:  # a new schema where others have ids twice
        assert store.loads() == []
        traces = Neo4jTraces(store.db)
        assert traces.list(limit=9) == []
        doc, other = kept_answer(), {**kept_answer(), "id": "another"}

        def load() -> None:
            fill(store, file=tmp_path / "rejects.tsv")
            with store.snapshot() as snapshot:
                assert snapshot.lookup(["m.0b"]) != [None]

        def abort() -> None:
            writer = store.begin(SimpleLoadPlan("half", (Source("one"), Source("half"))))
            writer.write(STAGE)
            writer.abort()

        steps: list[Callable[[], object]] = [
            load,
            abort,
            lambda: traces.save(doc),
            lambda: traces.save(other),
            lambda: traces.save(doc),
            lambda: fill(store, replace(PLAN, replace=True)),
            lambda: store.drop("one"),
            lambda: examine(database.server.uri),
            lambda: traces.remove(doc["id"]),
            lambda: traces.remove(other["id"]),
            lambda: store.drop("twin"),
            store.tidy,
            lambda: load_files(store, [find_content("sample", "harbour.csv")], LoadOptions(extra={"entity": "ferry"})),
            lambda: store.drop("harbour"),
        ]
        for step in steps:
            step()
            assert database.others() == before
        assert left(database) <= LEFT
    assert all(f.level == "note" for f in examine(database.server.uri) if "schema" in f.what or "load" in f.what)


def test_constraints_bind_only_what_is_ours(kept_schema: Database) -> None:
    with Neo4jStore(kept_schema.server.uri):
        pass
    bound = {label for (labels,) in kept_schema.rows("SHOW CONSTRAINTS YIELD labelsOrTypes") for label in labels}
    assert bound <= {*LABELS, "__Neo4jMigration"}
    for label in ("Document", "Source", "Question", "Entity", "Load"):
        kept_schema.rows("UNWIND [1, 2] AS twin CREATE (n:$($label) {id: 7, name: 'the same'})", label=label)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE (:Document {id: 'contract-7'})",
        "CREATE (:Name {load: 1, node: 1, text: 'x'})",
        "CREATE ({id: 7})",
        "CREATE (:Load {id: 1, name: 'bricks', state: 'ready'})",
        "MATCH (n:HydraEntity) WITH n LIMIT 1 SET n:Favourite",
        "MATCH (n:HydraEntity) CREATE (n)-[:LIKES {fid: 1}]->(n)",
    ],
)
def test_an_import_that_would_lose_what_others_keep_is_refused(
    kept_schema: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    if kept_schema.server.home is None:
        pytest.skip("only the data of a local server is swapped")
    monkeypatch.setenv("HYDRA_NEO4J_HOME", str(kept_schema.server.home))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with Neo4jStore(kept_schema.server.uri) as store:
        fill(store)
    kept_schema.rows(text)
    before, told = kept_schema.others(), list[Event]()

    def bulk(**more: Any) -> Any:
        def run(store: Any, dry: bool) -> Any:
            return load_files(
                store, [find_content("sample", "harbour.csv")], LoadOptions(extra={"entity": "ferry"}, dry_run=dry)
            )

        return bulk_load(
            kept_schema.server.uri, run, expected=lambda report: 10**9, listener=told.append, tell=print, **more
        )

    with pytest.raises(StoreError, match="hydra-kg did not write"):
        bulk(way="import")
    with pytest.raises(StoreError, match="holds twin"):
        bulk(folder=tmp_path / "files")
    loads = ["twin"]
    if text.startswith(("CREATE (:Document", "MATCH")):  # a node of theirs, a node or a relationship between ours
        bulk()  # a billion facts would be imported, if that were possible
        assert [event.data["chosen"] for event in told if event.kind == "load.ways"] == ["online"]
        loads.append("harbour")
    assert kept_schema.others() == before
    with Neo4jStore(kept_schema.server.uri) as store:
        assert [load["name"] for load in store.loads()] == loads


def test_files_for_an_import_are_not_written_for_a_database_of_others(kept_schema: Database, tmp_path: Path) -> None:
    kept_schema.rows("CREATE (:Document {id: 'contract-7'})")
    job = import_files(kept_schema.server.uri, tmp_path / "files", tell=print)
    with pytest.raises(StoreError, match="1 nodes that hydra-kg did not write"), job:
        pass


def age(database: Database, folder: Path) -> list[str]:
    """Make of the database what a version without labels of its own left; the names of its migrations."""
    old = [m.name for m in migrations() if m.version < "0007"]
    folder.mkdir()
    for name in old:
        shutil.copy(find_content("migrations", name), folder / name)
    ours = "WHERE name STARTS WITH 'hydra_'"
    made = {
        "CONSTRAINT": database.rows(f"SHOW CONSTRAINTS YIELD name {ours} RETURN name"),
        "INDEX": database.rows(
            f"SHOW INDEXES YIELD name, owningConstraint {ours} AND owningConstraint IS NULL RETURN name"
        ),
    }
    with database.driver.session() as session, session.begin_transaction() as tx:  # many transactions take seconds
        for what, names in made.items():
            for (name,) in names:
                tx.run(f"DROP {what} {name} IF EXISTS").consume()
        tx.commit()
    database.rows("MATCH (m:__Neo4jMigration|__Neo4jMigrationsLock) DETACH DELETE m")
    for label in set(LABELS) - {"HydraStore"}:
        database.rows(f"MATCH (n:{label}) SET n:{label.removeprefix('Hydra')} REMOVE n:{label}")
    migrate(database.driver, url=database.server.uri, folder=folder)
    return old


def test_an_older_store_moves_to_labels_of_its_own_and_loses_nothing(database: Database, tmp_path: Path) -> None:
    uri, every = database.server.uri, "MATCH (n) RETURN elementId(n) AS i, labels(n), properties(n) ORDER BY i"
    with Neo4jStore(uri) as store:
        fill(store)
        Neo4jTraces(store.db).save({**kept_answer(), "findings": []})  # that version drew none
    ours = [row for row in database.rows(every) if not row[1][0].startswith("__")]
    old = age(database, tmp_path / "old")
    assert database.rows("MATCH (n) WHERE any(l IN labels(n) WHERE l STARTS WITH 'Hydra') RETURN labels(n)") == [
        [["HydraStore"]]
    ]
    database.rows("""
        CREATE (:Person:Entity {id: 'alice'})-[:OWNS]->(:Document {id: 'contract-7'}),
               (:Load {id: 99, title: 'of bricks'}), (:Name {load: 1, text: 'Bob'}), (:Question {id: 'q', text: 'why'}),
               (:Source {name: 'the Nile'}), (:Path {id: 'footpath'}), (:Value {load: 1, euro: 7}),
               (:Answer {id: '42'}), (:Mention {id: 5, key: 'm'})
    """)
    foreign = database.rows("MATCH (n) WHERE NOT n:__Neo4jMigration RETURN count(n)")[0][0] - len(ours) - 1
    database.rows("MATCH (n:Value) WHERE n.fid IS NOT NULL WITH n LIMIT 1 SET n:HydraValue REMOVE n:Value")  # cut off
    with Neo4jStore(uri) as store:
        assert schema_status(database.driver, url=uri).applied == (*old, *(m.name for m in migrations()[6:]))
        others = database.rows(NODES)
        assert len(others) == foreign == 10
        seen = {row[0]: row for row in database.rows(every)}
        assert [[seen[i][0], sorted(seen[i][1]), seen[i][2]] for i, _, _ in ours] == [
            [i, sorted(labels), p] for i, labels, p in ours
        ]
        assert [load["name"] for load in store.loads()] == ["twin"]
        with store.snapshot() as snapshot:
            assert snapshot.lookup(["m.0b"]) != [None]
        traces = Neo4jTraces(store.db)
        assert traces.get()["id"] == kept_answer()["id"]
        assert traces.remove(kept_answer()["id"])
        store.drop("twin")
        assert database.rows(NODES) == others
        assert left(database) <= LEFT


QUESTIONS = ("Which pier does the Aurora leave from?", "What is the captain of the Aurora?")


def call(database: Database, *words: str) -> str:
    """Return what a command prints. It may fail, but only with an error of ours."""
    result = CliRunner().invoke(main, [*words, "--store", database.server.uri], prog_name="hydra-kg")
    said = f"{result.output}\n{result.exception!r}"
    assert result.exception is None or isinstance(result.exception, SystemExit), said
    assert result.exit_code in {0, 1, 3}, said
    assert "unexpected" not in result.output.lower(), said
    assert "\x1b" not in result.output
    return result.output


def told(database: Database) -> list[Any]:
    """Return what is answered to questions that the feeds answer."""
    docs = [json.loads(call(database, "ask", question, "--json")) for question in QUESTIONS]
    return [(d["answer_text"], d["verdict"], d["confidence"], d["citations"]) for d in docs]


@pytest.fixture
def feeds(kept_schema: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """The server with the sample's feeds."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    with Neo4jStore(kept_schema.server.uri) as store:
        for name in ("harbour", "townsite", "tourbook"):
            load_files(store, [find_content("sample", f"{name}.csv")], LoadOptions(extra={"entity": "ferry"}))
    return kept_schema


HANDLES: tuple[object, ...] = ("tall", 1.5, -1, 0, [1], True, 2**62, -(1 << 43), (1 << 40) + 10**9, (999 << 40) + 1)
"""Values of ``h``, which facts of ours have as well: no load has written them."""


@pytest.mark.slow
def test_relationships_of_others_at_our_nodes_state_nothing(feeds: Database) -> None:
    before = told(feeds)
    for kind in ("LIKES", "captain", "pier", "STATES", "SAME_AS", "`a``]->() DETACH DELETE n //`"):
        properties = [{}, *({"h": handle, "p": "captain", "fid": 1} for handle in HANDLES)]
        pairs = "MATCH (a:HydraEntity), (b:HydraEntity) WHERE a.id < b.id WITH a, b LIMIT 20"
        feeds.rows(f"{pairs} UNWIND $all AS p CREATE (a)-[r:{kind}]->(b) SET r = p", all=properties)
        theirs = f"CREATE (a)-[r:{kind}]->(:Document), (:Document {{id: 'x'}})-[s:{kind}]->(a) SET r = p, s = p"
        feeds.rows(f"MATCH (a:HydraEntity) UNWIND $all AS p {theirs}", all=properties)
    assert told(feeds) == before


@pytest.mark.slow
def test_nodes_of_others_under_our_labels_are_not_believed(feeds: Database) -> None:
    before = told(feeds)
    for label in sorted(set(LABELS) - {"HydraStore", "HydraLoad"}):
        for properties in ({}, {"text": "Pier 9", "fold": "aurora", "load": "x", "node": "y"}, {"load": 99, "id": -5}):
            with suppress(ClientError):  # a constraint refuses it
                feeds.rows(f"CREATE (:{label} $p)", p=properties)
    assert told(feeds) == before
    for words in (("sources", "list"), ("describe",), ("fuse", "Aurora"), ("show",)):
        call(feeds, *words)


def spoilt(doc: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a kept answer in which one field after the other is missing or of a type that none of them has."""
    for name in doc:
        if name in ANSWER:
            yield {k: v for k, v in doc.items() if k != name}
        yield {**doc, name: [[{"x": [None]}]]}


def test_a_kept_answer_that_others_changed_is_one_clear_error(kept_schema: Database) -> None:
    texts = ["", "null", "[]", "{}", '"x"', "7", "[" * 100_000, "1" * 9_999, '{"x": "' + " " * 9_000_000 + '"}']
    with Neo4jStore(kept_schema.server.uri) as store:
        traces, doc = Neo4jTraces(store.db), kept_answer()
        traces.save(doc)
        packed = [zlib.compress(text.encode()) for text in (*texts, *map(json.dumps, spoilt(doc)))]
        for data in (b"", b"\x00\xff", *packed, *(p[:-3] for p in packed[:3]), None, "text", 7):
            kept_schema.rows("MATCH (k:HydraKeptAnswer) SET k.doc = $doc", doc=data)
            with pytest.raises(StoreCorruptError, match="damaged"):
                traces.get(doc["id"])
    assert "is damaged" in call(kept_schema, "show", doc["id"])


@pytest.mark.slow
def test_a_list_of_kept_answers_that_others_changed_is_still_a_list(kept_schema: Database) -> None:
    with Neo4jStore(kept_schema.server.uri) as store:
        Neo4jTraces(store.db).save(kept_answer())
    for name in ("text", "answer_text", "verdict", "label", "strategy", "abstained", "created", "id"):
        for value in (None, 7, [1], "x\x1b[31m\u202e"):
            kept_schema.rows(f"MATCH (q:HydraQuestion) SET q.{name} = $value", value=value)
            call(kept_schema, "show")


@pytest.mark.slow
def test_a_load_that_others_changed_is_one_clear_error(feeds: Database) -> None:
    before = told(feeds)
    for name in ("sources", "facts", "checksum", "flipped", "rows", "texts", "counts", "details", "name"):
        ((ours,),) = feeds.rows(f"MATCH (l:HydraLoad {{id: 1}}) RETURN l.{name}")
        for value in (None, "x", -1, '[{"name": 7, "x": 1}]', [7]):
            feeds.rows(f"MATCH (l:HydraLoad {{id: 1}}) SET l.{name} = $value", value=value)
            call(feeds, "sources", "list")
            call(feeds, "ask", QUESTIONS[0])
        feeds.rows(f"MATCH (l:HydraLoad {{id: 1}}) SET l.{name} = $ours", ours=ours)
    assert told(feeds) == before


def test_a_file_that_others_wrote_into_a_load_is_not_shown(feeds: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    identity = json.loads(call(feeds, "ask", QUESTIONS[0], "--json"))["id"]
    data = Path("/etc/passwd").read_bytes()
    claimed = {"folder": "/etc", "name": "passwd", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    for number, details in feeds.rows("MATCH (l:HydraLoad) RETURN l.id, l.details"):
        files = [{**file, **claimed} for file in json.loads(details)["files"]]
        changed = json.dumps({**json.loads(details), "files": files})
        feeds.rows(
            "MATCH (l:HydraLoad {id: $id}) SET l.details = $details, l.file = 'passwd'", id=number, details=changed
        )
    monkeypatch.chdir("/etc")
    for words in (("show", identity, "--cite", "1"), ("sources", "line", "passwd:1"), ("sources", "line", "passwd:2")):
        said = call(feeds, *words)
        assert not any(line in said for line in data.decode().splitlines() if line), words


@pytest.mark.slow
def test_hostile_names_and_questions_are_only_text(feeds: Database, tmp_path: Path) -> None:
    names = [
        "\x1b[31mred\x1b]0;owned\x07",
        "\u202egnp.exe",
        "*:* OR text:(a",
        "`]->() DETACH DELETE n //",
        "<script>x</script>",
    ]
    rows = [f'"{name}","{name}"' for name in names]
    (tmp_path / "hostile.csv").write_text("\n".join(["boat,owner", *rows]) + "\n", encoding="utf-8")
    with Neo4jStore(feeds.server.uri) as store:
        load_files(store, [tmp_path / "hostile.csv"], LoadOptions(extra={"entity": "boat"}))
    counted = "MATCH (n) WHERE NOT n:HydraKeptAnswer AND NOT any(l IN labels(n) WHERE l IN $traces) RETURN count(n)"
    traces = ["HydraQuestion", "HydraExploration", "HydraPath", "HydraAnswer", "HydraMention", "HydraSource"]
    before = feeds.rows(counted, traces=[*traces, "HydraDocument", "HydraClaim", "HydraFinding"])
    for name in names:
        call(feeds, "ask", f"Who is the owner of {name}?")
    others = ("\ud800", "\x00", "' OR 1=1 //", "$x {id: 1}", '+-&&||!(){}[]^"~*?:\\/', "a" * 1_900, "~" * 500)
    for name in (*names, *others):
        call(feeds, "ask", f"MATCH (n) DETACH DELETE n RETURN {name}", "--topic", name[:200].replace("\x00", "") or "x")
    for words in (("describe",), ("sources", "list"), ("show",), ("fuse",)):
        call(feeds, *words)
    assert feeds.rows(counted, traces=[*traces, "HydraDocument", "HydraClaim", "HydraFinding"]) == before
