"""A server without APOC gives what one with it gives: both give the folder's cuts and answers (test_two_stores)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from helpers.excerpt import excerpt
from helpers.samples.alike import edges, plain, reached
from helpers.servers import neo4j_stores
from helpers.servers.neo4j_server import Server, query

from hydra_kg import Settings
from hydra_kg.evaluate.questions.datasets import read_questions
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

QUESTIONS = list(read_questions(find_content("sample", "questions.jsonl")))[:3]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """What the sample says of what three of its questions are about."""
    return excerpt(tmp_path_factory.mktemp("excerpt"), QUESTIONS)


@pytest.fixture(scope="module")
def store(neo4j_without_apoc: Server, files: list[Path]) -> Iterator[Store]:
    """A part of the sample on the server without APOC."""
    who = Credentials(neo4j_without_apoc.username, neo4j_without_apoc.password, "the test")
    driver = open_driver(neo4j_without_apoc.uri, who, database=None)
    with Neo4jStore(neo4j_without_apoc.uri, driver=driver) as made:
        assert query(driver, query_text("server_apoc")).records[0]["procedures"] == 0
        load_files(made, files)
        yield made


def test_the_other_server_has_apoc(neo4j_without_apoc: Server, neo4j_database: object) -> None:
    """Else there is nothing to compare."""
    assert query(neo4j_stores.opened(), query_text("server_apoc")).records[0]["procedures"] > 0


def test_the_same_cuts_and_answers(store: Store, files: list[Path], tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path / "store") as folder:
        load_files(folder, files)
        with store.snapshot() as ours, folder.snapshot() as theirs:
            walked = 0
            rank = np.random.default_rng(0).integers(0, 20, len(theirs.predicates().ids)).astype(np.float32) / 20
            for q in QUESTIONS:
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
        for q in QUESTIONS:
            assert plain(answer_json(on_server.ask(q.text))) == plain(answer_json(in_folder.ask(q.text))), q.text
