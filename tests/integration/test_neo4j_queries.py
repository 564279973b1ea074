"""Every query of the package: it plans, whatever predicates are called, and scans only what it declares."""

from __future__ import annotations

import re
from typing import Any

import pytest
from neo4j_stores import opened

from hydra_kg.content import content, names
from hydra_kg.stores.neo4j.queries import MOST_TYPES, PLACEHOLDER, query_text, quoted

pytestmark = pytest.mark.server

HOSTILE = ["`", "``", "a`b", "`]->() DETACH DELETE n //", "\\u0060", "\\", "\\\\u0060) //", "a b/c.d&e#f", "'", '"',
           "$x", "{}", "P31|P31", "日本", "\n", "🦆", "_" * 200, "/*", "*/", "//", "/*TYPES*/"]  # fmt: skip
FILES = [name.removesuffix(".cypher") for name in names("cypher", suffix=".cypher")]
SCANS = re.compile(r"(AllNodesScan|NodeByLabelScan|AllRelationshipsScan)")
OTHERS = {"indexes_await", "migration_chain", "migration_guard", "migration_record", "ping"}  # not the store's own


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


@pytest.mark.parametrize("name", FILES)
def test_the_header_says_what_it_is_for(name: str) -> None:
    head = "".join(x for x in content("cypher", f"{name}.cypher").read_text("utf-8").splitlines() if x[:2] == "//")
    assert "Parameters: " in head
    assert "Columns: " in head


@pytest.mark.parametrize("name", [n for n in FILES if n not in OTHERS])
def test_it_scans_only_what_its_header_declares(neo4j_database: object, name: str) -> None:
    head = [x for x in content("cypher", f"{name}.cypher").read_text("utf-8").splitlines() if x.startswith("//")]
    declared = " ".join(re.findall(r"Scans: ([^.(]+)", " ".join(head)))
    text = query_text(name)
    for operator, details in plan(text, parameters_of(text)):
        if SCANS.fullmatch(operator):
            assert operator == "NodeByLabelScan", (operator, details)
            label = details.rpartition(":")[2].strip()
            assert label in declared, (operator, details)


@pytest.mark.parametrize("name", ["expand_in", "expand_out"])
def test_hostile_predicates_are_names_and_nothing_else(neo4j_database: object, name: str) -> None:
    text = query_text(name, types=HOSTILE)
    plain = query_text(name, types=["p"])
    operators = [operator for operator, _ in plan(text, parameters_of(plain))]
    assert operators == [operator for operator, _ in plan(plain, parameters_of(plain))]
    assert len(HOSTILE) <= MOST_TYPES


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_predicate_comes_back_as_it_went_in(neo4j_database: object, name: str) -> None:
    with opened().session() as session, session.begin_transaction() as tx:
        tx.run("CREATE (:Hostile)-[:$($name)]->(:Hostile)", name=name)
        found = tx.run(f"MATCH (:Hostile)-[r:{quoted(name)}]->() RETURN type(r)").values()
        tx.rollback()
    assert found == [[name]]


@pytest.mark.parametrize("name", ["expand_out", "expand_in", "survey", "between", "nodes",
                                  "values", "names_exact", "names_containing"])  # fmt: skip
def test_nothing_before_the_survivors_reads_provenance(name: str) -> None:
    text = query_text(name)
    assert not re.search(r"\.(source|fid|loc|rank|conf|qualifiers)\b", text)
    assert not re.search(r":(Question|Exploration|Path|Answer|Source)\b", text)


def test_a_file_holds_one_placeholder_at_most() -> None:
    for name in FILES:
        text = content("cypher", f"{name}.cypher").read_text("utf-8")
        assert text.count(PLACEHOLDER) <= 1
        assert "/*" not in text.replace(PLACEHOLDER, "")
