"""Answers are compared with the class that a question asks for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.ingest.load import load_files
from hydra_kg.steps.own_graphs.graph_reading import read_own_graphs
from hydra_kg.steps.schema.answer_class import AskedClass, asked_noun
from hydra_kg.steps.schema.question_words import asked
from hydra_kg.stores.embedded.store import EmbeddedStore

FILES = {
    "regions": "region_id,region,motto\n1,Lorne,Ever upward\n2,Abbot,By the sea\n",
    "nurseries": "nursery_id,nursery,region_id,plots\n1,Fern Hill,1,40\n2,Oak Row,2,75\n",
    "persons": "person_id,person,nursery_id\n1,Ada Lund,1\n2,Tom Reed,2\n",
    "films": "film_id,film,person_id\n1,Salt,1\n2,Tide,2\n",
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnGraph]:
    folder: Path = tmp_path_factory.mktemp("gardens")
    for name, text in FILES.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    with EmbeddedStore(tmp_path_factory.mktemp("store")) as store:
        load_files(store, [folder])
        with store.snapshot() as snapshot:
            yield read_own_graphs(snapshot)[0]


@pytest.mark.parametrize(
    "question, answer, is_other",
    [
        ("Which regions have a nursery?", "Lorne", False),
        ("Which regions have a nursery?", "Fern Hill", True),
        ("Which regions have a nursery?", "75", True),
        ("What are the names of the top 2 regions that have nurseries?", "Fern Hill", True),
        ("What are the names of the top 2 regions that have nurseries?", "Abbot", False),
        ("What are the mottos of the regions?", "By the sea", False),
        ("Which regions are by the sea?", "By the sea", False),  # a text of the region may be its name
        ("Who made it?", "Tide", True),
        ("Who made it?", "Ada Lund", False),
        ("How many regions have a nursery?", "75", False),
        ("What is the number of plots of Oak Row?", "75", False),
    ],
)
def test_an_answer_is_of_the_class_asked_for(graph: OwnGraph, question: str, answer: str, is_other: bool) -> None:
    place = next(p for p in range(graph.size) if graph.name(p) == answer)
    assert AskedClass(graph, asked(question)).excludes(np.array([place])) is is_other


@pytest.mark.parametrize(
    "question, noun",
    [
        ("What are the names of the top 3 countries that trade?", "country"),
        ("Which countries trade?", "country"),
        ("List the names of all courses taught by Kim", "course"),
        ("Who trades?", ""),
    ],
)
def test_the_noun_behind_a_name_is_asked_for(question: str, noun: str) -> None:
    assert asked_noun(asked(question)) == noun
