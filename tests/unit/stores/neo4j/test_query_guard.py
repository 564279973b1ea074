"""Cypher that a model wrote: what it may say, and what is refused before any server sees it."""

from __future__ import annotations

import pytest

from hydra_kg.stores.neo4j.reads.query_guard import LONGEST, QueryNames, RefusedError, rewritten

KNOWN = QueryNames({"supplier": "supp`lier", "made_of": "made of"}, {"price": 123, "supplier": 5}, {"e1"})
RETURN = "RETURN a AS answer, [] AS facts"


@pytest.mark.parametrize(
    "written, runs",
    [
        (
            "MATCH (a:Thing)-[r:supplier]->(b:Thing) WHERE b.id IN $e1 RETURN a AS answer, [r] AS facts",
            "MATCH (a:HydraEntity)-[r:`supp``lier`]->(b:HydraEntity) WHERE b.id IN $e1"
            " RETURN a AS answer, [r] AS facts",
        ),
        (
            "MATCH (v:price {subject: a.id}) WHERE number(v) > 1.5 RETURN text(v) AS answer, [v] AS facts",
            "MATCH (v:HydraValue {p: 123, subject: a.id}) WHERE toFloat(split(v.o, '\"')[1]) > 1.5"
            " RETURN split(v.o, '\"')[1] AS answer, [v] AS facts",
        ),
        (
            "MATCH p = (a:Thing {name: 'it; DROP'})-[:supplier|made_of*1..3]-(b) WHERE NOT (b)-[:made_of]->()"
            " RETURN count(DISTINCT b) + 1 AS answer, collect(p) AS facts",
            "MATCH p = (a:HydraEntity {name: 'it; DROP'})-[:`supp``lier`|`made of`*1..3]-(b)"
            " WHERE NOT (b)-[:`made of`]->()"
            " RETURN count(DISTINCT b) + 1 AS answer, collect(p) AS facts",
        ),
    ],
)
def test_what_only_reads_becomes_the_stores_own(written: str, runs: str) -> None:
    assert rewritten(written, KNOWN).replace(" ", "") == runs.replace(" ", "")


def test_unequal_may_be_written_as_elsewhere() -> None:
    assert rewritten(f"MATCH (a:Thing) WHERE a.name != 'x' {RETURN}", KNOWN).count("<>") == 1


@pytest.mark.parametrize(
    "written, why",
    [
        (f"MATCH (a:Thing) WHERE a.price > 3 {RETURN}", r"no.* a property price: MATCH \(v:price \{subject: a.id\}\)"),
        (f"MATCH (a:Thing)-[:owner]->(b) {RETURN}", "there is no relation owner between things, but supplier, made_of"),
    ],
)
def test_a_refusal_says_what_to_write(written: str, why: str) -> None:
    with pytest.raises(RefusedError, match=why):
        rewritten(written, KNOWN)


@pytest.mark.parametrize(
    "written",
    [
        "CALL dbms.listConfig() YIELD name RETURN name AS answer, [] AS facts",
        f"MATCH (a:Thing) CALL {{ MATCH (n) DELETE n }} {RETURN}",
        f"MATCH (a:Thing) DETACH DELETE a {RETURN}",
        f"MATCH (a:Thing) SET a.name = 'x' {RETURN}",
        f"MATCH (a:Thing) CREATE (b:Thing) {RETURN}",
        f"MATCH (a:Thing) FOREACH (x IN [1] | CREATE (b)) {RETURN}",
        f"LOAD CSV FROM 'file:///etc/passwd' AS a {RETURN}",
        f"MATCH (a:Thing) LOAD CSV FROM 'http://localhost/' AS l {RETURN}",
        "MATCH (a:Thing) RETURN apoc.load.json('http://localhost') AS answer, [] AS facts",
        "MATCH (a:Thing) RETURN properties(a) AS answer, [] AS facts",
        "MATCH (a:Thing) RETURN a.password AS answer, [] AS facts",
        "MATCH (a:Thing) RETURN a{.*} AS answer, [] AS facts",
        f"MATCH (a:HydraKeptAnswer) {RETURN}",
        f"MATCH (a:Thing|HydraLoad) {RETURN}",
        f"MATCH (a:%) {RETURN}",
        f"MATCH (a:Thing) WHERE a:HydraLoad {RETURN}",
        f"MATCH (a:Thing)-[:RAN]->(b) {RETURN}",
        f"MATCH (a:`Thing`) {RETURN}",
        f"MATCH (a:Thing)-[:supplier|`RAN`]->(b) {RETURN}",
        f"MATCH (a:Thing) {RETURN}; MATCH (n) DELETE n",
        f"MATCH (a:Thing) WHERE a.name = '\\u0027 OR true' {RETURN}",
        f"MATCH (a:Thing {{id: $password}}) {RETURN}",
        f"MATCH (a:Thing)-[*]->(b) {RETURN}",
        f"MATCH (a:Thing)-[:supplier*1..]->(b) {RETURN}",
        f"MATCH (a:Thing)-[:supplier*..99]->(b) {RETURN}",
        f"MATCH ((a)-[:supplier]->(b)){{1,99}} {RETURN}",
        f"MATCH ((a)-[:supplier]->(b))+ {RETURN}",
        f"MATCH (a:Thing) WHERE EXISTS {{ MATCH (b) }} {RETURN}",
        "MATCH (a:Thing) UNWIND range(1, 99999999) AS x RETURN x AS answer, [] AS facts",
        f"MATCH (a:price) {RETURN}",
        "MATCH (a:Thing) FINISH",
        f"MATCH (a:Thing) SHOUT a {RETURN}",
        f"USE system MATCH (a) {RETURN}",
        f"EXPLAIN MATCH (a:Thing) {RETURN}",
        f"MATCH (a:Thing {RETURN}",
        f"MATCH (a:Thing) WHERE a.name = '{'x' * LONGEST}' {RETURN}",
        "",
    ],
)
def test_what_is_not_known_to_be_harmless_is_refused(written: str) -> None:
    with pytest.raises(RefusedError):
        rewritten(written, KNOWN)
