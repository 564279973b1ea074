"""Every query of the package: it plans, whatever predicates are called, and scans only what it declares."""

from __future__ import annotations

import re
from typing import Any

import pytest
from helpers.servers.neo4j_stores import empty, opened

from hydra_kg.stores.neo4j.connection.queries import MOST_TYPES, PLACEHOLDER, STEPS, query_text
from hydra_kg.text.quoting import cypher_name
from hydra_kg.util.package_data import find_content, names

pytestmark = pytest.mark.server

HOSTILE = [
    "`",
    "``",
    "a`b",
    "`]->() DETACH DELETE n //",
    "\\u0060",
    "\\",
    "\\\\u0060) //",
    "a b/c.d&e#f",
    "'",
    '"',
    "$x",
    "{}",
    "P31|P31",
    "日本",
    "\n",
    "🦆",
    "_" * 200,
    "/*",
    "*/",
    "//",
    "/*TYPES*/",
]
FILES = [name.removesuffix(".cypher") for name in names("cypher", suffix=".cypher")]
SCANS = re.compile(r"(AllNodesScan|NodeByLabelScan|AllRelationshipsScan)")
OTHERS = {"indexes_await", "migration_chain", "migration_guard", "migration_record", "ping"}  # not the store's own


@pytest.fixture(scope="module")
def schema(neo4j_database: object) -> None:
    """The server with all indexes."""
    with empty():
        pass


def plan(text: str, parameters: dict[str, Any]) -> list[tuple[str, str]]:
    """(operator, its details) of a query's plan."""

    def walk(node: Any) -> list[tuple[str, str]]:
        here = (node["operatorType"].split("@")[0], str(node["args"].get("Details", "")))
        return [here, *(step for child in node.get("children", ()) for step in walk(child))]

    with opened().session() as session:
        return walk(session.run(f"EXPLAIN {text}", parameters).consume().plan)


def parameters_of(text: str) -> dict[str, Any]:
    """Every parameter of a query, so that the server plans it: EXPLAIN asks for their names only."""
    return dict.fromkeys(re.findall(r"\$(\w+)", text))


@pytest.fixture(scope="module")
def plans(schema: None) -> dict[str, list[tuple[str, str]]]:
    """The plan of each query of the store."""
    texts = {name: query_text(name) for name in FILES if name not in OTHERS}
    return {name: plan(text, parameters_of(text)) for name, text in texts.items()}


def head(name: str) -> str:
    """The comment at the top of a query's file."""
    lines = find_content("cypher", f"{name}.cypher").read_text("utf-8").splitlines()
    return " ".join(line for line in lines if line.startswith("//"))


def test_every_header_says_what_its_query_is_for() -> None:
    assert [name for name in FILES if "Parameters: " not in head(name) or "Columns: " not in head(name)] == []


def test_queries_scan_only_what_their_headers_declare(plans: dict[str, list[tuple[str, str]]]) -> None:
    undeclared = []
    for name, steps in plans.items():
        declared = " ".join(re.findall(r"Scans: ([^.(]+)", head(name)))
        for operator, details in steps:
            if SCANS.fullmatch(operator):
                scanned = details.rpartition(":")[2].strip() if operator == "NodeByLabelScan" else operator
                if scanned not in declared:
                    undeclared.append((name, operator, details))
    assert undeclared == []


@pytest.mark.parametrize("name", ["expand"])
def test_hostile_predicates_are_names_and_nothing_else(schema: None, name: str) -> None:
    text = query_text(name, types=HOSTILE)
    plain = query_text(name, types=["p"])
    operators = [operator for operator, _ in plan(text, parameters_of(plain))]
    assert operators == [operator for operator, _ in plan(plain, parameters_of(plain))]
    assert len(HOSTILE) <= MOST_TYPES


def test_a_hostile_predicate_comes_back_as_it_went_in(schema: None) -> None:
    with opened().session() as session, session.begin_transaction() as tx:
        for name in HOSTILE:
            tx.run("CREATE (:Hostile)-[:$($name)]->(:Hostile)", name=name)
        found = [tx.run(f"MATCH (:Hostile)-[r:{cypher_name(name)}]->() RETURN type(r)").values() for name in HOSTILE]
        tx.rollback()
    assert found == [[[name]] for name in HOSTILE]


def test_every_index_is_used(plans: dict[str, list[tuple[str, str]]]) -> None:
    """Each costs time at every load, so it serves a query of the package, or people who browse."""
    for_people = {"hydra_entity_key", "hydra_entity_names"}  # nodes by the text of their id, or by their name
    guards = {"hydra_answer_id"}  # nobody asks for it, but it must not be there twice
    used = set()
    text = {name: query_text(name) for name in FILES}
    for name in set(FILES) - OTHERS - {"server_apoc_version"}:
        for operator, details in plans[name]:
            if "Index" in operator or "Merge" in operator:
                used |= set(re.findall(r":(\w+)\((\w+(?:, ?\w+)*)\)", details))
    unused = []
    with opened().session() as session:
        for name, kind, labels, properties in session.run(
            "SHOW INDEXES YIELD name, type, labelsOrTypes, properties WHERE type <> 'LOOKUP'"
            " RETURN name, type, labelsOrTypes, properties"
        ).values():
            seeks = any((label, ", ".join(properties)) in used for label in labels)
            asked = kind == "FULLTEXT" and any(f"'{name}'" in t for t in text.values())
            if not (seeks or asked or name in for_people | guards or "__Neo4jMigration" in labels):
                unused.append(name)
    assert not unused, unused


def test_a_file_holds_one_placeholder_at_most() -> None:
    for name in FILES:
        text = find_content("cypher", f"{name}.cypher").read_text("utf-8")
        assert text.count(PLACEHOLDER) + text.count(STEPS) <= 1
        assert "/*" not in text.replace(PLACEHOLDER, "").replace(STEPS, "")
