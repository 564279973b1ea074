"""Kept answers: one contract in a file and on a server, and there the graph that people browse."""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.samples.answers import (
    BIRTH,
    DEATH,
    MOZART,
    PASSAGE,
    SALZBURG,
    answer,
    crowd,
    evidence,
    fact,
    hop,
    no_answer,
    spoken,
)
from helpers.servers import neo4j_stores

from hydra_kg import Hydra, Settings, ids
from hydra_kg.domain import AnswerValue, Claimed, Exploration, Locator, Node, TextFinding
from hydra_kg.errors import NotFoundError, StoreCorruptError, StoreError
from hydra_kg.serialise import answer_json
from hydra_kg.stores.embedded.traces import SqliteTraces
from hydra_kg.stores.impact import impact
from hydra_kg.stores.neo4j.traces.browser_links import make_explored_query
from hydra_kg.stores.neo4j.traces.push import collect_pushed_facts
from hydra_kg.stores.neo4j.traces.rows import SOURCE_COLOURS, WIDTHS
from hydra_kg.stores.neo4j.traces.traces import Neo4jTraces
from hydra_kg.stores.trace_store import ServerTraces
from hydra_kg.util.package_data import find_content

EVIL = "a\x00b\x1b[31m \x85 ' \" ` \\ \\u0027 </script><script>alert(1)</script> & # ; } //*/ $id \ud83d 日本 🦆 \u202e"


@pytest.fixture(params=["file", pytest.param("server", marks=pytest.mark.server)])
def traces(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """Nothing kept yet."""
    if request.param == "file":
        yield SqliteTraces(tmp_path / "traces.sqlite")
        return
    request.getfixturevalue("neo4j_database")
    with neo4j_stores.empty() as store:
        yield Neo4jTraces(store.db)  # type: ignore[attr-defined]


@pytest.fixture
def server(neo4j_database: object) -> Iterator[Neo4jTraces]:
    """Nothing kept yet, on the server."""
    with neo4j_stores.empty() as store:
        yield Neo4jTraces(store.db)  # type: ignore[attr-defined]


def rows(query: str, **parameters: Any) -> list[list[Any]]:
    """What the server holds, as somebody who browses asks for it."""
    with neo4j_stores.opened().session() as session:
        return [record.values() for record in session.run(query, parameters)]


def everything() -> Counter[str]:
    """Labels and types with their numbers; migrations and the node that carries the store's lock left out."""
    nodes = rows(
        "MATCH (n) WHERE NOT n:__Neo4jMigration AND NOT n:__Neo4jMigrationsLock AND NOT n:HydraStore RETURN labels(n)"
    )
    links = rows("MATCH (a)-[r]->() WHERE NOT a:__Neo4jMigration RETURN type(r)")
    return Counter([":".join(sorted(n)) for (n,) in nodes] + [t for (t,) in links])


# The contract


def test_comes_back_as_it_was(traces):
    doc = answer_json(answer())
    traces.save(doc)
    assert traces.get(doc["id"]) == doc


def test_is_found_by_a_unique_beginning_and_the_newest_without(traces):
    for key in ("aa11", "aa22", "bb33"):
        traces.save(answer_json(answer(id=key)))
    assert traces.get("b")["id"] == "bb33"
    assert traces.get()["id"] == "bb33"
    with pytest.raises(NotFoundError, match="aa11, aa22"):
        traces.get("aa")
    with pytest.raises(NotFoundError, match="hydra-kg show"):
        traces.get("zz")


def test_what_is_typed_is_no_pattern(traces):
    traces.save(answer_json(answer(id="abc")))
    for key in ("%", "_bc", "a%", "' OR 1=1 --", "ABC", '"}) DETACH DELETE q //', "\x00"):
        with pytest.raises(NotFoundError):
            traces.get(key)


def test_an_id_that_begins_another_is_found(traces):
    for key in ("abc", "abcdef"):
        traces.save(answer_json(answer(id=key)))
    assert traces.get("abc")["id"] == "abc"


def test_lists_the_newest_first(traces):
    traces.save(answer_json(answer(id="one")))
    traces.save(answer_json(no_answer(id="two")))
    two, one = traces.list()
    assert (one["id"], one["answer_text"], one["verdict"], one["abstained"]) == ("one", "Salzburg", "supported", False)
    assert (two["id"], two["abstained"], two["question"]) == ("two", True, "where was mozart born?")
    assert two["created"] >= one["created"]  # two may be of one millisecond
    assert [k["id"] for k in traces.list(limit=1)] == ["two"]


def test_the_same_id_again_replaces(traces):
    for text in ("first", "second"):
        traces.save(answer_json(replace(answer(), answer_text=text)))
    assert [k["answer_text"] for k in traces.list()] == ["second"]
    used = [tuple(r.values()) for r in traces.questions_using("freebase")]
    assert len(used) == len(set(used))


def test_says_which_questions_used_a_source(traces):
    traces.save(answer_json(answer()))
    assert {(r["question"], r["fact"]) for r in traces.questions_using("wikidata")} == {("a1b2c3d4", "00000000000000c")}
    assert {r["entity"] for r in traces.questions_using("wikidata")} <= {"m.082db", "m.0fhxv"}
    freebase = {r["fact"] for r in traces.questions_using("freebase")}
    assert freebase == {"00000000000000b"}, "a pruned path uses nothing"
    assert {r["fact"] for r in traces.questions_using("wikipedia")} == {PASSAGE.id}
    assert not traces.questions_using("nobody")


def test_nothing_kept_is_said_with_a_remedy(traces):
    assert list(traces.list()) == []
    with pytest.raises(NotFoundError, match="hydra-kg ask"):
        traces.get()


def test_hostile_text_comes_back_and_harms_nothing(traces):
    evil = replace(SALZBURG, name=EVIL, key='"' + EVIL + '"@en')
    paths = [evidence(hop(MOZART, EVIL, evil, fact(11))), spoken(EVIL)]
    one = replace(
        answer(explored=paths),
        question=EVIL,
        answer_text=EVIL,
        label=EVIL,
        answers=(AnswerValue(EVIL, evil, None, (evil.key,)),),
        evidence=tuple(paths),
    )
    traces.save(answer_json(answer(id="other")))
    doc = answer_json(one)
    traces.save(doc)
    assert traces.get(doc["id"]) == doc
    assert traces.list()[0]["question"].startswith("a\x00b\x1b[31m")
    assert {k["id"] for k in traces.list()} == {"a1b2c3d4", "other"}


def test_a_great_many_paths_stay_within_the_limit(traces):
    traces.save(answer_json(answer(explored=crowd(300, 40))))
    doc = traces.get()
    assert len(json.dumps(doc, ensure_ascii=False).encode()) <= 230_000
    assert len(doc["explorations"][0]["paths"]) + doc["explorations"][0]["left_out"] == 301


def test_impact_tells_who_would_lose_the_only_support(traces):
    two_sources, alone = answer_json(answer(id="both")), answer_json(answer(id="alone"))
    lonely = evidence(hop(MOZART, "place of birth", SALZBURG, fact(21)))
    alone = answer_json(replace(answer(id="alone", explored=[lonely]), evidence=(lonely,)))
    for doc in (two_sources, alone, answer_json(no_answer(id="none"))):
        traces.save(doc)
    found = impact(traces, "freebase")
    by_id = {q["id"]: q for q in found["questions"]}
    assert (by_id["both"]["loses"], by_id["both"]["keeps"]) == ([], ["Salzburg"])
    assert (by_id["alone"]["loses"], by_id["alone"]["keeps"]) == (["Salzburg"], [])
    assert by_id["none"]["abstained"]
    assert found["counts"] == {"questions": 3, "facts": 3, "lost": 1, "weakened": 0}
    assert [q["id"] for q in found["questions"]] == ["none", "alone", "both"]
    assert impact(traces, "nobody")["counts"] == {"questions": 0, "facts": 0, "lost": 0, "weakened": 0}


# The graph


@pytest.mark.server
def test_the_graph_has_the_form_that_is_documented(server):
    server.save(answer_json(answer()))
    assert rows(
        "MATCH (:HydraQuestion {id: 'a1b2c3d4'})-[:RAN]->(x:HydraExploration)-[f:FOUND]->(p:HydraPath) "
        "RETURN x.phase, f.rank, f.kept, f.relevance, f.cross, p:HydraPruned ORDER BY f.rank"
    ) == [
        ["kg", 0, True, 0.6, 0.0, False],  # the passage, which the answer took beside the phase's own list
        ["kg", 1, True, 0.8, 0.78, False],
        ["kg", 2, False, 0.3, 0.78, True],
    ]
    assert rows(
        "MATCH (:HydraExploration)-[:FOUND {kept: true}]->(p)-[h:HOP]->(e) MATCH (p)-[:FROM]->(s) "
        "RETURN s.name, h.i, h.predicate, h.direction, h.fid, h.sources, h.locators, e.name"
    ) == [
        [
            "Wolfgang Amadeus Mozart",
            1,
            "people.person.place_of_birth",
            "forward",
            [11, 12],
            ["freebase", "wikidata"],
            ["freebase.nt.gz:11", "wikidata.nt.gz:12"],
            "Salzburg",
        ]
    ]
    assert rows(
        "MATCH (:HydraQuestion)-[:ANSWERED]->(a:HydraAnswer)-[:BECAUSE]->(p:HydraPath) RETURN a.text, p.text "
        "ORDER BY p.text DESC"
    ) == [
        ["Salzburg", "Wolfgang Amadeus Mozart — place of birth → Salzburg"],
        ["Salzburg", "Mozart was born in Salzburg."],
    ]
    assert rows(
        "MATCH (p:HydraPath)-[c:CITES]->(s) RETURN labels(s), s.name, s.title, c.locator ORDER BY c.locator"
    ) == [
        [["HydraDocument"], None, "Mozart", "Mozart [0:28]"],
        [["HydraSource"], "freebase", None, "freebase.nt.gz:11"],
        [["HydraSource"], "wikidata", None, "wikidata.nt.gz:12"],
    ]
    assert rows(
        "MATCH (:HydraQuestion)-[u:USED]->(e) RETURN u.fid, u.passage, u.source, u.exploration, labels(e) "
        "ORDER BY u.source"
    ) == [
        [11, None, "freebase", 0, ["HydraMention"]],
        [12, None, "wikidata", 0, ["HydraMention"]],
        [None, PASSAGE.id, "wikipedia", 0, ["HydraDocument"]],
    ]


@pytest.mark.server
def test_removing_leaves_nothing_and_replacing_no_more_than_before(server):
    empty = everything()
    server.save(answer_json(answer(id="one")))
    once = everything()
    server.save(answer_json(answer(id="one")))
    assert everything() == once
    server.save(answer_json(answer(id="two")))
    assert server.remove("two")
    assert everything() == once
    assert server.remove("one")
    assert everything() == empty
    assert not server.remove("one")


@pytest.mark.server
def test_impact_and_staleness_go_through_an_index(server):
    with neo4j_stores.opened().session() as session:
        for condition in ("u.source = 'x'", "u.fid = 7"):
            plan = (
                session.run(f"EXPLAIN MATCH (q:HydraQuestion)-[u:USED]->(e) WHERE {condition} RETURN q.id")
                .consume()
                .plan
            )
            assert "IndexSeek" in json.dumps(plan)


@pytest.mark.server
def test_a_damaged_answer_is_a_clear_error(server):
    server.save(answer_json(answer()))
    rows("MATCH (k:HydraKeptAnswer) SET k.doc = $doc", doc=zlib.compress(b"{")[:-2])
    with pytest.raises(StoreCorruptError, match="damaged"):
        server.get()


class _Refusing:
    """A server that takes nothing: a user who may only read."""

    def __init__(self, inner: Any) -> None:
        self._inner, self.url = inner, inner.url

    def read(self, *words: Any, **more: Any) -> Any:
        return self._inner.read(*words, **more)

    def write(self, work: Callable[[Any], Any]) -> Any:
        raise StoreError("Writing is not allowed for this user.", remedy="Ask for it.")


@pytest.mark.server
def test_a_server_that_takes_nothing_is_one_warning_and_the_answers_are_kept_here(server, tmp_path):
    warnings: list[str] = []
    server.save(answer_json(answer(id="there")))
    refusing: Any = _Refusing(server.db)
    kept = ServerTraces(Neo4jTraces(refusing), SqliteTraces(tmp_path / "new" / "traces.sqlite"), warn=warnings.append)
    for key in ("here1", "here2"):
        kept.save(answer_json(answer(id=key)))
    assert len(warnings) == 1
    assert "not allowed" in warnings[0]
    assert [k["id"] for k in kept.list()] == ["here2", "here1", "there"]
    assert kept.get()["id"] == "here2"
    assert kept.get("there")["id"] == "there"
    assert kept.get("here1")["id"] == "here1"
    assert {r["question"] for r in kept.questions_using("wikidata")} == {"there", "here1", "here2"}
    assert kept.browse("here1", paths=10) is None


@pytest.mark.server
def test_the_browser_query_warns_of_no_type_that_a_fresh_database_lacks(server):
    """Types outlive their relationships, so names that no database has stand for those of a fresh one."""
    doc = answer_json(answer())
    server.save(doc)
    query = make_explored_query(doc["id"])
    for name in ("HEARD", "ANSWERED", "IS", "BECAUSE", "VIA", "BACKED_BY", "OPPOSED_BY", "SAID_IN"):
        query, count = re.subn(rf"\b{name}\b", f"{name}_FRESH", query)
        assert count, name
    with neo4j_stores.opened().session(notifications_min_severity="WARNING") as session:
        said = session.run(query).consume().gql_status_objects
    assert not [status.status_description for status in said if status.gql_status.startswith("01")]


@pytest.mark.server
def test_a_homologous_group_has_a_colour_for_each_source_and_a_width_for_its_confidence(server):
    explored = Exploration(
        "confidence",
        (MOZART,),
        "",
        1,
        claims=tuple(
            Claimed(source, MOZART, "birth", SALZBURG, trust, believed)
            for source, trust, believed in ((EVIL, 0.0, False), ("b", 0.5, True), ("c", 1.0, True))
        ),
    )
    doc = answer_json(replace(answer(), explorations=(explored,)))
    server.save(doc)
    found = rows(
        "MATCH (:HydraExploration)-[:HEARD]->(c:HydraClaim)-[r]->(o {key: 'm.0fhxv'}), "
        "(c)-[:ABOUT]->({key: 'm.082db'}) "
        "RETURN labels(c), c.confidence, type(r), c.believed ORDER BY c.confidence"
    )
    assert [row[1:] for row in found] == [[0.0, "SAYS_1", False], [0.5, "SAYS_3", True], [1.0, "SAYS_5", True]]
    voices = [f"HydraVoice{n}" for n in (1, 2, 3)]
    assert sorted(label for row in found for label in row[0]) == ["HydraClaim"] * 3 + voices
    style = json.loads(find_content("docker", "style.json").read_text("utf-8"))
    shafts = [int(style[f"relationship.SAYS_{n}"]["shaft-width"][:-2]) for n in range(1, WIDTHS + 1)]
    assert shafts == sorted(set(shafts))
    assert len({style[f"node.HydraVoice{n}"]["color"] for n in range(1, SOURCE_COLOURS + 1)}) == SOURCE_COLOURS
    seen = rows(make_explored_query(doc["id"]))
    assert sum("HydraClaim" in node.labels for (path,) in seen for node in path.nodes[-2:]) == 6, (
        "each, and what it names"
    )
    server.remove(doc["id"])
    assert not +everything()


@pytest.mark.server
def test_what_texts_say_for_and_against_an_answer_is_drawn_with_who_says_it(server):
    agrees, differs = (
        PASSAGE,
        replace(PASSAGE, id="p9", text=EVIL, title="Vienna", locator=Locator(page="Vienna", url="https://e.org/v")),
    )
    findings = (
        TextFinding("agrees", "Salzburg", agrees, 0.61),
        TextFinding("differs", "Vienna", differs, 0.58),
    )
    doc = answer_json(replace(answer(), findings=findings, verdict="contested", dissent=("wiki says Vienna",)))
    server.save(doc)
    found = rows(
        "MATCH (q:HydraQuestion)-[:ANSWERED]->(a)-[r:BACKED_BY|OPPOSED_BY]->(f:HydraFinding)-[s:SAID_IN]->(d) "
        "RETURN q.verdict, q.dissent, a.i, type(r), f.value, f.source, f.likeness, d.title ORDER BY type(r)"
    )
    assert found == [
        ["contested", ["wiki says Vienna"], 1, "BACKED_BY", "Salzburg", PASSAGE.source.name, 0.61, PASSAGE.title],
        ["contested", ["wiki says Vienna"], 1, "OPPOSED_BY", "Vienna", PASSAGE.source.name, 0.58, "Vienna"],
    ]
    seen = rows(make_explored_query(doc["id"]))
    assert sum("HydraFinding" in node.labels for (path,) in seen for node in path.nodes) == 2
    style = json.loads(find_content("docker", "style.json").read_text("utf-8"))
    drawn = {style[f"relationship.{kind}"]["caption"] for kind in ("BACKED_BY", "OPPOSED_BY")}
    assert drawn == {"agrees", "differs"}
    server.save(doc)
    assert rows("MATCH (f:HydraFinding) RETURN count(f)") == [[2]]
    server.remove(doc["id"])
    assert not +everything()


# With a store


@contextmanager
def _asked(path: Path, question: str) -> Iterator[tuple[Hydra, dict[str, Any]]]:
    with Hydra(store=path, settings=Settings()) as hydra:
        yield hydra, answer_json(hydra.ask(question, keep=False))


def _pushed(path: Path, server: Neo4jTraces, question: str) -> dict[str, Any]:
    with _asked(path, question) as (hydra, doc), hydra.store.snapshot() as snapshot:
        facts = collect_pushed_facts(doc, snapshot)
        assert facts.missing == 0
        server.push(doc, facts)
    return doc


@pytest.mark.server
def test_a_pushed_answer_brings_its_facts_with_names_sources_and_locators(server, sample_store):
    _pushed(sample_store, server, "How tall is Tom Hanks?")
    (found,) = rows(
        "MATCH (a {key: 'm.0bxtg'})-[r:P2048 {pushed: true}]->(v) WHERE v.name = '1.83' "
        "RETURN a.name, a.description, labels(v), r.source, r.loc, r.subject"
    )
    assert found[0] == "Tom Hanks"
    assert found[1]
    assert found[2:4] == [["HydraMention"], "wikidata"]
    assert found[4].startswith("wikidata.nt.gz:")
    assert found[5].startswith("Q")
    assert rows("MATCH (s:HydraSource) RETURN s.name, s.kind ORDER BY s.name") == [
        ["freebase", "kg"],
        ["wikidata", "kg"],
    ]
    assert rows("MATCH (n:HydraEntity|HydraLoad|HydraLoadChunk|HydraName) RETURN count(n)") == [[0]]


@pytest.mark.server
def test_pushing_is_repeatable_and_can_be_taken_back(server, sample_store):
    empty = everything()
    doc = _pushed(sample_store, server, "Who are the members of Queen?")
    once = everything()
    assert any(n > 1 for n in once.values())
    _pushed_again = _pushed(sample_store, server, "Where was Steven Spielberg born?")
    assert server.remove(_pushed_again["id"])
    assert everything() == once
    with _asked(sample_store, "Who are the members of Queen?") as (hydra, _), hydra.store.snapshot() as snapshot:
        server.push(doc, collect_pushed_facts(doc, snapshot))
    assert everything() == once
    assert server.remove(doc["id"])
    assert everything() == empty


@pytest.mark.server
def test_two_pushed_answers_share_facts_and_neither_takes_the_others_away(server, sample_store):
    one = _pushed(sample_store, server, "Where was Steven Spielberg born?")
    facts = rows("MATCH ()-[r {pushed: true}]->() RETURN count(r)")
    two = {**one, "id": "another"}
    with _asked(sample_store, "Where was Steven Spielberg born?") as (hydra, _), hydra.store.snapshot() as snapshot:
        server.push(two, collect_pushed_facts(two, snapshot))
    server.remove(one["id"])
    assert rows("MATCH ()-[r {pushed: true}]->() RETURN count(r)") == facts
    server.remove("another")
    assert rows("MATCH ()-[r {pushed: true}]->() RETURN count(r)") == [[0]]


@pytest.mark.server
def test_what_is_pushed_never_answers(neo4j_database, sample_store, tmp_path):
    """The store on the server knows some of the entities: pushed facts about them stay unseen."""
    lines = tmp_path / "few.nt"
    ns = "http://rdf.freebase.com/ns/"
    text = [
        f'<{ns}m.06pj8> <{ns}type.object.name> "Steven Spielberg"@en .',
        f"<{ns}m.06pj8> <{ns}people.person.nationality> <{ns}m.09c7w0> .",
        f'<{ns}m.09c7w0> <{ns}type.object.name> "United States of America"@en .',
    ]
    lines.write_text("".join(f"{line}\n" for line in text).replace("> ", ">\t").replace(" .", "\t."), "utf-8")
    with neo4j_stores.empty() as store, Hydra(store=store, settings=Settings()) as hydra:
        hydra.store.close = lambda: None  # type: ignore[method-assign]  # its connections are shared
        hydra.load(lines, source="few")
        questions = ("Where was Steven Spielberg born?", "What is the nationality of Steven Spielberg?")

        def replies() -> list[Any]:
            docs = [answer_json(hydra.ask(q, keep=False)) for q in questions]
            return [{k: v for k, v in d.items() if k not in ("id", "seconds")} for d in docs]

        before, loads = replies(), hydra.store.loads()
        server = Neo4jTraces(store.db)  # type: ignore[attr-defined]
        doc = _pushed(sample_store, server, questions[0])
        assert rows("MATCH (e:HydraEntity {key: 'm.06pj8'})-[r {pushed: true}]->() RETURN count(r) > 0") == [[True]]
        assert replies() == before
        assert hydra.store.loads() == loads
        server.remove(doc["id"])
        assert replies() == before
        assert rows("MATCH (e:HydraEntity {key: 'm.06pj8'}) RETURN count(e)") == [[1]]


@pytest.mark.server
def test_hops_point_at_the_stores_own_nodes_and_outlive_a_drop(neo4j_database, tmp_path):
    lines = tmp_path / "few.nt"
    ns = "http://rdf.freebase.com/ns/"
    lines.write_text(f"<{ns}m.082db>\t<{ns}people.person.place_of_birth>\t<{ns}m.0fhxv>\t.\n", "utf-8")
    with neo4j_stores.empty() as store:
        hydra = Hydra(store=store, settings=Settings())
        hydra.load(lines, source="few")
        traces: Any = hydra.traces
        hydra.traces.save(answer_json(answer(explored=[evidence(BIRTH), evidence(DEATH)])))
        assert isinstance(traces, ServerTraces)
        ends = "MATCH (:HydraPath)-[:HOP]->(e) RETURN DISTINCT e.id, labels(e) ORDER BY e.id"
        salzburg, vienna = ids.encode("m.0fhxv"), ids.encode("m.0fhp9")
        assert sorted(rows(ends)) == sorted([[salzburg, ["HydraEntity"]], [vienna, ["HydraMention"]]])
        store.drop("few")
        assert sorted(rows(ends)) == sorted([[salzburg, ["HydraEntity"]], [vienna, ["HydraMention"]]])
        assert hydra.show("a1b2")["answer_text"] == "Salzburg"
        traces.server.remove("a1b2c3d4")
        assert rows("MATCH (n:HydraEntity|HydraMention|HydraSource|HydraDocument) RETURN count(n)") == [[0]]


def test_nodes_are_kept_once_and_named():
    from hydra_kg.stores.neo4j.traces.rows import trace

    via = Node(7, "m.0cvt", "m.0cvt")
    married = replace(hop(MOZART, "spouse", SALZBURG, fact(5), fact(6)), predicate="a./b", via=via)
    doc = answer_json(replace(answer(explored=[evidence(married)]), evidence=(evidence(married),)))
    made = trace(doc, created="2026-01-01T00:00:00Z")
    assert len(made.paths) == 1, "what a phase found and the answer took is one path"
    assert made.nodes[ids.encode("m.0cvt")] == ("m.0cvt", "m.0cvt")
    assert [v["node"] for v in made.vias] == [ids.encode("m.0cvt")]
    assert made.paths[0]["path"]["fids"] == [5, 6]
    assert made.paths[0]["found"]["place"] == 0, "what answers is always shown"


@pytest.mark.server
def test_show_prints_an_address_without_a_password_and_pushes_and_takes_back(neo4j_cleared, sample_store, monkeypatch):
    from click.testing import CliRunner

    from hydra_kg.cli.main import main

    monkeypatch.delenv("HYDRA_STORE", raising=False)

    def call(*words: str) -> str:
        result = CliRunner().invoke(main, ["show", *words])
        assert result.exit_code == 0, result.output
        assert neo4j_cleared.password not in result.output
        return result.output

    with Hydra(store=neo4j_cleared.uri, settings=Settings()) as hydra:
        hydra.traces.save(answer_json(answer()))
    link = json.loads(call("a1b2", "--store", neo4j_cleared.uri, "--json"))["browser"]
    assert call("a1b2", "--store", neo4j_cleared.uri).splitlines()[-1].strip() == link["url"]
    assert call("a1b2", "--store", neo4j_cleared.uri, "--cypher").strip() == link["cypher"]
    with _asked(sample_store, "Where was Steven Spielberg born?") as (hydra, doc):
        hydra.traces.save(doc)
    pushed = json.loads(call(doc["id"], "--store", str(sample_store), "--to", neo4j_cleared.uri, "--json"))
    assert pushed["facts"] > 0
    assert pushed["missing"] == 0
    assert doc["id"] in call("--store", neo4j_cleared.uri)
    assert "no longer" in call(doc["id"][:8], "--to", neo4j_cleared.uri, "--remove")
    assert doc["id"] not in call("--store", neo4j_cleared.uri)
