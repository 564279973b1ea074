"""Paths through all topics on a toy graph: what lies between two topics answers, where nothing touches both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from helpers.samples import graphs
from helpers.small_country import cached_embedder  # noqa: F401  fixtures

from hydra_kg.domain import AnswerData, Source
from hydra_kg.ports import Embedder, Store
from hydra_kg.presets import with_preset
from hydra_kg.reasoner import Reasoner
from hydra_kg.settings import Settings
from hydra_kg.stores.embedded.store import EmbeddedStore

NAMES = {
    "m.0b": "Alpha Corporation",
    "m.0c": "Xray Works",
    "m.0d": "Answer Holding",
    "m.0f": "Yankee Works",
    "m.0g": "Bravo Corporation",
    "m.0h": "Xtwo Works",
    "m.0j": "Xthree Works",
}
FACTS = [
    ("m.0b", "organization.organization.supplier", "m.0c", 0),
    ("m.0c", "organization.organization.owner", "m.0d", 0),
    ("m.0g", "organization.organization.supplier", "m.0f", 0),
    ("m.0f", "organization.organization.owner", "m.0d", 0),
    ("m.0b", "organization.organization.supplier", "m.0h", 0),
    ("m.0b", "organization.organization.supplier", "m.0j", 0),
]
QUESTION = "Who owns the suppliers of Alpha Corporation and Bravo Corporation?"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    names = [(k, "name", n) for k, n in NAMES.items()]
    with EmbeddedStore(tmp_path_factory.mktemp("toy")) as made:
        graphs.put(made, graphs.Spec("facts", (Source("facts"),), FACTS, names=names))
        yield made


def asked(store: Store, embedder: Embedder, *, depth: int = 2, **retrieval: Any) -> AnswerData:
    settings = with_preset(Settings(), "paper").changed(retrieval=retrieval)
    return Reasoner(store, settings=settings, embedder=embedder).ask(QUESTION, depth=depth)


def lines(answer: AnswerData) -> list[list[str]]:
    """The names along each path that was kept, first to last."""
    paths = [e.path for x in answer.explorations for e in x.evidence if e.kept and e.path.hops]
    return [[p.hops[0].subject.name, *(h.object.name for h in p.hops)] for p in paths]


JOINT = ["Alpha Corporation", "Xray Works", "Answer Holding", "Yankee Works", "Bravo Corporation"]


def test_what_lies_between_two_topics_is_the_answer(store, embedder):
    answer = asked(store, embedder)
    assert [a.node.name for a in answer.answers] == ["Answer Holding"]
    assert lines(answer)
    assert all(line == JOINT for line in lines(answer))


def test_without_it_no_path_holds_both(store, embedder):
    assert JOINT not in lines(asked(store, embedder, joint="off"))


def test_beside_the_paths_from_one_topic_it_is_a_choice(store, embedder):
    found = lines(asked(store, embedder, joint="also", window=False))
    assert JOINT in found
    assert any(len(line) == 2 for line in found)


def test_the_trace_says_what_the_reduction_left(store, embedder):
    counts = asked(store, embedder).explorations[0].counts
    assert (counts["entities of facts"], counts["entities of facts, reduced"]) == (7, 5)
    assert (counts["reduced_nodes"], counts["reduced_edges"]) == (5, 4)


def test_the_preset_drops_paths_below_the_window_in_the_first_exploration(store, embedder):
    """§4.2.1: 2 · (3 − 1) < length; the path has four hops. Of all lengths it is one."""
    first = asked(store, embedder, depth=3).explorations[0]
    assert (first.depth, [e for e in first.evidence if e.path.hops]) == (3, [])
    assert [e.path.hops[-1].object.name for e in asked(store, embedder, depth=3, window=False).explorations[0].evidence]


@pytest.mark.parametrize("level", ["relevance", "cross"])
def test_both_readings_of_the_pruning_of_a_level_find_it(store, embedder, level):
    assert JOINT in lines(asked(store, embedder, level_score=level, beam=1))
