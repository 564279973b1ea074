"""Queries that a model writes, on a server: answers with their facts, and nothing but reads, whatever is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.samples.scripted import asked
from helpers.servers.neo4j_stores import empty, opened
from helpers.small_country import cached_embedder  # noqa: F401  fixtures

from hydra_kg.ingest.load import load_files
from hydra_kg.ports import CypherQuery, QueryLimits
from hydra_kg.settings import Settings
from hydra_kg.stores.neo4j.reads import cypher_queries

pytestmark = pytest.mark.server

SHOP = Path(__file__).resolve().parents[3] / "hydra_kg" / "sample" / "shop"
PRODUCTS = "MATCH (x:Thing)-[r:supplier]->(s:Thing) WHERE s.id IN $e1"
LIMITS = QueryLimits(10.0, 100, 1e6)
ON = Settings().changed(answering={"cypher": True})


@pytest.fixture(scope="module")
def store(neo4j_database):
    with empty() as made:
        load_files(made, [SHOP])
        yield made


def ask(store, embedder, question, *queries, settings=ON):
    replies = [{"lines": [query]} for query in queries]
    return asked(store, embedder, "hydra", {"compose_cypher": replies}, question=question, settings=settings)


def test_things_come_with_the_facts_that_state_them(store, embedder):
    answer, script = ask(
        store,
        embedder,
        "Which products does Kestrel Glassworks supply for more than 50?",
        f"{PRODUCTS} MATCH (v:price {{subject: x.id}}) WHERE number(v) > 50 RETURN x AS answer, [r, v] AS facts",
    )
    assert [a.name for a in answer.answers] == ["Harbour Lamp"]
    hops = answer.evidence[0].path.hops
    assert [h.predicate for h in hops] == ["supplier", "price"]
    assert {f.source.name for h in hops for f in h.facts} == {"shop"}
    assert (answer.verdict, answer.label) == ("single-source", "table")
    assert answer.steps[0].operator == "Query"
    shown = script.prompts[script.steps.index("compose_cypher")]
    assert "(x)-[:supplier]-(y) from product x to supplier y" in shown
    assert "(v:price {subject: x.id}) of product x" in shown
    assert "$e1 is Kestrel Glassworks" in shown


def test_a_number_is_what_its_facts_make(store, embedder):
    question = "How many products does Kestrel Glassworks supply?"
    answer, _ = ask(store, embedder, question, f"{PRODUCTS} RETURN count(x) AS answer, collect(r) AS facts")
    assert [a.name for a in answer.answers] == ["2"]
    assert answer.computation == "2, from 2 facts"
    invented, _ = ask(store, embedder, question, f"{PRODUCTS} RETURN 42 AS answer, collect(r) AS facts")
    assert "42" not in [a.name for a in invented.answers]


def test_an_answer_that_its_facts_do_not_hold_is_not_given(store, embedder):
    query = "MATCH (x:Thing {name: 'Dusk Lamp'}), (y:Thing)-[r:supplier]->(s:Thing) WHERE s.id IN $e1"
    answer, _ = ask(
        store, embedder, "What does Kestrel Glassworks supply?", f"{query} RETURN x AS answer, [r] AS facts"
    )
    assert "Dusk Lamp" not in [a.name for a in answer.answers]


def test_a_refused_query_is_written_once_more(store, embedder):
    good = f"{PRODUCTS} RETURN x AS answer, [r] AS facts"
    answer, script = ask(
        store, embedder, "Which products does Kestrel Glassworks supply?", "MATCH (n) DETACH DELETE n", good
    )
    assert {a.name for a in answer.answers} == {"Tide Bowl", "Harbour Lamp"}
    assert script.steps.count("compose_cypher") == 2
    assert "An earlier query was refused: it uses DETACH." in script.prompts[script.steps.index("compose_cypher") + 1]


def test_nobody_is_asked_for_a_query_unless_it_is_switched_on(store, embedder):
    _, script = ask(store, embedder, "Which products does Kestrel Glassworks supply?", "x", settings=Settings())
    assert "compose_cypher" not in script.steps


@pytest.mark.parametrize(
    "query, why",
    [
        ("MATCH (a:HydraEntity) SET a.name = 'stolen' RETURN a AS answer, [] AS facts", "does more than read"),
        ("MATCH (a:HydraEntity) DETACH DELETE a", "does more than read"),
        ("CALL dbms.listConfig() YIELD name RETURN name AS answer, [] AS facts", "does more than read"),
        ("CALL db.labels() YIELD label RETURN label AS answer, [] AS facts", "Procedure"),
        ("LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l AS answer, [] AS facts", "LoadCSV"),
        ("MATCH (a) RETURN a AS answer, [] AS facts", "AllNodesScan"),
        (
            "MATCH (a:HydraEntity), (b:HydraEntity), (c:HydraEntity), (d:HydraEntity), (e:HydraEntity)"
            " RETURN count(a) AS answer, [] AS facts",
            "too many rows",
        ),
        ("MATCH ((a:HydraEntity)-->(b))+ RETURN a AS answer, [] AS facts", "Repeat"),
        (
            "UNWIND range(1, 300000) AS x UNWIND range(1, 300000) AS y RETURN sum(x * y) AS answer, [] AS facts",
            "timeout",
        ),
        ("MATCH (a:HydraEntity) RETURN a.name AS answer", "answer and facts"),
        ("MATCH (a:HydraEntity RETURN a", "Invalid input"),
    ],
)
def test_the_server_refuses_what_would_come_past_the_words(store, monkeypatch, query, why):
    """Each of these is refused by its words already; here nothing looks at them."""
    monkeypatch.setattr(cypher_queries, "rewritten", lambda text, known: text)
    counted = "MATCH (n) RETURN count(n), count(n.name), sum(CASE n.name WHEN 'stolen' THEN 1 ELSE 0 END)"
    before = opened().execute_query(counted).records[0].values()
    with store.snapshot() as snapshot:
        result = snapshot.cypher_query(
            CypherQuery(query, {}, {}), QueryLimits(1.0 if why == "timeout" else 30.0, 100, 1e6)
        )
    assert why in result.refused
    assert opened().execute_query(counted).records[0].values() == before


def test_rows_are_bounded(store):
    with store.snapshot() as snapshot:
        places = {"supplier": snapshot.predicates().keys.index("supplier")}
        query = CypherQuery("MATCH (x:Thing)-[r:supplier]->(s:Thing) RETURN x AS answer, [r] AS facts", {}, places)
        whole = snapshot.cypher_query(query, LIMITS)
        some = snapshot.cypher_query(query, QueryLimits(10.0, 3, 1e6))
    assert (len(whole.rows), whole.cut) == (7, False)
    assert (len(some.rows), some.cut) == (3, True)
