"""Queries in SQL that a model writes over tables: what the reading of questions leaves open, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.samples.scripted import asked

from hydra_kg.ingest.load import load_files
from hydra_kg.models.embedding.cached_embedder import CachedEmbedder
from hydra_kg.models.embedding.embedders import make_embedder
from hydra_kg.settings import Settings
from hydra_kg.stores.embedded.store import EmbeddedStore

SHOP = Path(__file__).resolve().parents[3] / "hydra_kg" / "sample" / "shop"
WORKSHOPS = "Which workshops lie in Oslo?"
OSLO = "SELECT name FROM supplier WHERE town = 'Oslo'"


@pytest.fixture(scope="module")
def embedder():
    return CachedEmbedder(make_embedder())


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with EmbeddedStore(tmp_path_factory.mktemp("shop")) as made:
        load_files(made, [SHOP])
        yield made


def ask(store, embedder, question, *queries, settings=None):
    replies = [{"lines": [query]} for query in queries]
    says = {"compose_sql": replies}
    return asked(store, embedder, "hydra", says, question=question, settings=settings, graph_first=0.6)


def test_what_the_columns_answer_is_not_asked_of_a_model(store, embedder):
    answer, script = ask(store, embedder, "Which products cost more than 100?", "SELECT 1")
    assert {a.name for a in answer.answers} == {"Heron Stool", "Fathom Rug", "Otter Chair"}
    assert (script.steps, answer.usage.calls) == ([], 0)
