"""What a question reads on a server: no provenance and no trace before the survivors, by the server's own plans."""

from __future__ import annotations

import re
from typing import Any

import pytest
from helpers.excerpt import questions
from helpers.servers import neo4j_stores

from hydra_kg import Settings
from hydra_kg.reasoner import Reasoner
from hydra_kg.stores.neo4j.connection.queries import Database, query_text
from hydra_kg.stores.neo4j.store import Neo4jStore

pytestmark = pytest.mark.server

SURVIVORS = {"fact_links", "fact_values"}
PROVENANCE = re.compile(
    r"\.(source|fid|loc|rank|conf|qualifiers|at)\b"
    r"|:Hydra(Source|Question|Exploration|Path|Answer|KeptAnswer|Mention|Document)\b"
    r"|:(RAN|FOUND|HOP|ANSWERED|BECAUSE|CITES|USED)\b"
)

Call = tuple[str, dict[str, Any], tuple[str, ...]]


def steps(text: str, parameters: dict[str, Any], mode: str) -> list[str]:
    """Operators with their details."""

    def walk(node: Any) -> list[str]:
        own = f"{node['operatorType']} {node['args'].get('Details', '')}"
        return [own, *(step for child in node.get("children", ()) for step in walk(child))]

    with neo4j_stores.opened().session() as session:
        summary = session.run(f"{mode} {text}", parameters).consume()
    return walk(summary.profile if mode == "PROFILE" else summary.plan)


def test_nothing_before_the_survivors_reads_provenance(
    neo4j_sample: Neo4jStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Call] = []
    read = Database.read

    def recorded(self: Database, query: str, parameters: Any = None, *, types: Any = ()) -> Any:
        calls.append((query, dict(parameters or {}), tuple(types)))
        return read(self, query, parameters, types=types)

    monkeypatch.setattr(Database, "read", recorded)
    store = Neo4jStore(neo4j_sample.url, driver=neo4j_stores.opened())  # which remembers nothing yet
    reasoner = Reasoner(store, settings=Settings(retrieval={"edge_budget": 2_000}))
    for question in questions()[:2]:
        asked = len(calls)
        answer = reasoner.ask(question.text)
        names = [name for name, *_ in calls[asked:]]
        if answer.evidence:
            assert names.index("fact_links") > names.index("expand")
    by_name = {name: (parameters, types) for name, parameters, types in calls}
    assert {"pin", "names_exact", "nodes", "expand", "fact_links"} <= by_name.keys()
    for name, (parameters, types) in by_name.items():  # of each once: types stand in its text as in any other
        if name not in SURVIVORS:
            for step in steps(query_text(name, types=types), parameters, "PROFILE"):
                assert not PROVENANCE.search(step), (name, step)


def test_the_check_sees_what_reads_provenance(neo4j_sample: Neo4jStore) -> None:
    for name in SURVIVORS:
        text = query_text(name)
        found = steps(text, dict.fromkeys(re.findall(r"\$(\w+)", text)), "EXPLAIN")
        assert any(PROVENANCE.search(step) for step in found)
