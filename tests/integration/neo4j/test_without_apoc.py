"""A server without APOC gives what one with it gives: both give the folder's cuts and answers (test_two_stores)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from helpers.samples.alike import edges, plain, reached
from helpers.servers import neo4j_stores
from helpers.servers.neo4j_server import Server, query

from hydra_kg import Settings
from hydra_kg.evaluate.questions.datasets import read_questions
from hydra_kg.ingest.contract.choices import LoadOptions
from hydra_kg.ingest.load import load_files
from hydra_kg.ports import Store
from hydra_kg.reasoner import Reasoner
from hydra_kg.serialise import answer_json
from hydra_kg.stores.embedded.store import EmbeddedStore
from hydra_kg.stores.neo4j.connection.connect import Credentials, open_driver
from hydra_kg.stores.neo4j.connection.queries import query_text
from hydra_kg.stores.neo4j.store import Neo4jStore
from hydra_kg.util.package_data import find_content

pytestmark = pytest.mark.server

ASKED = 3  # of the sample's questions
FILES = [find_content("sample", name) for name in neo4j_stores.SAMPLE]
LINES = 3_000  # of each graph; of fewer of Wikidata none is kept
FEW = 300  # of each other file


@pytest.fixture(scope="module")
def store(neo4j_without_apoc: Server) -> Iterator[Store]:
    """A part of the sample on the server without APOC."""
    who = Credentials(neo4j_without_apoc.username, neo4j_without_apoc.password, "the test")
    driver = open_driver(neo4j_without_apoc.uri, who, database=None)
    with Neo4jStore(neo4j_without_apoc.uri, driver=driver) as made:
        assert query(driver, query_text("server_apoc")).records[0]["procedures"] == 0
        load(made)
        yield made


def load(store: Store) -> None:
    """A part of the sample."""
    load_files(store, FILES[:2], LoadOptions(limit=LINES))
    load_files(store, FILES[2:], LoadOptions(limit=FEW))


def test_the_other_server_has_apoc(neo4j_without_apoc: Server, neo4j_database: object) -> None:
    """Else there is nothing to compare."""
    assert query(neo4j_stores.opened(), query_text("server_apoc")).records[0]["procedures"] > 0


def test_the_same_cuts_and_answers(store: Store, tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path / "store") as folder:
        load(folder)
        with store.snapshot() as ours, folder.snapshot() as theirs:
            known = [
                q for q in read_questions(find_content("sample", "questions.jsonl")) if any(theirs.lookup(q.topics))
            ]
            questions = known[:ASKED]
            assert len(questions) == ASKED
            walked = 0
            rank = np.random.default_rng(0).integers(0, 20, len(theirs.predicates().ids)).astype(np.float32) / 20
            for q in questions:
                start = [n for n in theirs.lookup(q.topics) if n is not None]
                for depth, budget in ((2, 0), (3, 100)):
                    a, b = (s.cut(start, depth=depth, rank=rank, budget=budget) for s in (ours, theirs))
                    assert edges(a) == edges(b)
                    assert reached(a) == reached(b)
                    walked += len(a)
            assert walked > 150
        on_server, in_folder = (
            Reasoner(s, settings=Settings(retrieval={"edge_budget": 20_000})) for s in (store, folder)
        )
        for q in questions:
            assert plain(answer_json(on_server.ask(q.text))) == plain(answer_json(in_folder.ask(q.text))), q.text
