"""Answers of another kind than the question asks for come after the others, and nothing else moves."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from helpers.samples import graphs
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.domain import Analysis, Source
from hydra_kg.fakes import FakeStore
from hydra_kg.settings import Settings
from hydra_kg.steps.graph.cut_hops import HopGraph
from hydra_kg.steps.retrieval.entity_types import ANSWER_KIND, ANSWER_KIND_PATHS, kinds_named, of_asked_kind
from hydra_kg.steps.retrieval.topic_constraint import RelationPath

PRICE, LOOKED_AT = ANSWER_KIND, ANSWER_KIND_PATHS

NAMES = {
    "Q1": "stream",
    "Q2": "sovereign state",
    "Q3": "country of Europe",
    "Q4": "human",
    "Q5": "riddle",
    "Q11": "Seine",
    "Q12": "France",
    "Q13": "Philip",
    "Q14": "Nobody knows",
    "Q15": "A riddle",
}
IS = [
    ("Q11", "P31", "Q1", 0),
    ("Q12", "P31", "Q2", 0),
    ("Q12", "P31", "Q3", 0),
    ("Q13", "P31", "Q4", 0),
    ("Q15", "P31", "Q5", 0),
]
KEYS = ("P1", "geography.river.cities", "location.location.contains", "a.b.c")
PERSON = frozenset({"person"})


@pytest.fixture(scope="module")
def snapshot():
    store = FakeStore()
    names = [(key, "name", name) for key, name in NAMES.items()]
    links = [*IS, ("Q14", "P1", "Q15", 0)]
    graphs.put(store, graphs.Spec("kinds", (Source("kinds"),), links, names=names))
    with store.snapshot() as taken:
        yield taken


def ordered(
    snapshot, ends: list[list[str]], *, noun: str = "", kinds=frozenset(), keys=None
) -> list[tuple[int, float]]:
    """(place, score) of paths to these ends as they come, of scores 1, .99, …; ``keys``: by path, the type that its
    last relation leads to (a place in KEYS)."""
    known = [k for k in NAMES if snapshot.lookup([k])[0] is not None]
    ids = np.array(snapshot.lookup(known), np.int64)
    known = [known[i] for i in np.argsort(ids)]
    ids = np.sort(ids)
    places = np.array([[2 * k] for k in keys or [0] * len(ends)])
    paths = []
    for i, keyed in enumerate(ends):
        tree = SimpleNamespace(codes=places, depth=1, topic=0)
        local = np.array([known.index(k) for k in keyed], np.int32)
        paths.append(RelationPath(tree, i, 1 - i / 100, np.arange(len(local)), local, ()))
    space = SimpleNamespace(base=2 * len(KEYS), leg_key=lambda leg: (KEYS[leg >> 1], bool(leg & 1) and leg > 1))
    context = SimpleNamespace(
        settings=Settings(),
        snapshot=snapshot,
        space=space,
        entities=lambda nodes: dict(zip(nodes, snapshot.entities(nodes), strict=True)),
    )
    analysis = Analysis("?", "?", (), 1, answer_noun=noun, answer_kinds=kinds)
    graph: HopGraph = SimpleNamespace(ids=ids)  # type: ignore[assignment]
    return [(p.index, p.score) for p in of_asked_kind(context, graph, paths, analysis)]


def test_a_country_is_no_river(snapshot):
    assert ordered(snapshot, [["Q12"], ["Q11"]], noun="river") == [(1, 0.99), (0, 1 - PRICE)]


def test_nobodys_father_is_a_country(snapshot):
    assert ordered(snapshot, [["Q12"], ["Q13"]], kinds=PERSON) == [(1, 0.99), (0, 1 - PRICE)]
    assert ordered(snapshot, [["Q12"]], kinds=PERSON) == [(0, 1 - PRICE)]


@pytest.mark.parametrize("end", ["Q11", "Q14", "Q15"])
def test_what_is_of_the_kind_or_of_no_known_one_stays_first(snapshot, end):
    assert ordered(snapshot, [[end], ["Q12"]], noun="river") == [(0, 1.0), (1, 0.99)]


def test_one_end_of_the_kind_is_enough_and_half_of_the_ends_must_be_known(snapshot):
    assert ordered(snapshot, [["Q12", "Q11"]], noun="river") == [(0, 1.0)]
    assert ordered(snapshot, [["Q12", "Q14"]], noun="river") == [(0, 1.0)]


def test_of_ends_without_kinds_the_type_that_the_relation_leads_to_counts(snapshot):
    paths = [["Q14"], ["Q15"]]
    assert [i for i, _ in ordered(snapshot, paths, noun="lake", keys=(1, 0))] == [1, 0]
    assert [i for i, _ in ordered(snapshot, paths, noun="river", keys=(1, 0))] == [0, 1]
    assert [i for i, _ in ordered(snapshot, paths, noun="lake", keys=(2, 0))] == [0, 1]  # a lake is a location
    assert [i for i, _ in ordered(snapshot, paths, noun="lake", keys=(3, 0))] == [0, 1]


def test_a_state_beside_country_is_a_country(snapshot):
    assert [i for i, _ in ordered(snapshot, [["Q12"], ["Q14"]], noun="state")] == [1, 0]
    assert [i for i, _ in ordered(snapshot, [["Q12"], ["Q14"]], noun="country")] == [0, 1]


@given(ends=st.lists(st.sampled_from(sorted(NAMES)).map(lambda k: [k]), max_size=LOOKED_AT + 5))
def test_where_nothing_is_asked_for_nothing_moves(snapshot, ends):
    ends = [e for e in ends if snapshot.lookup(e)[0] is not None]
    for noun in ("", "riddle", "thing"):
        assert [i for i, _ in ordered(snapshot, ends, noun=noun)] == list(range(len(ends)))
    found = ordered(snapshot, ends, noun="river")
    assert sorted(i for i, _ in found) == list(range(len(ends)))
    assert [s for _, s in found] == sorted((s for _, s in found), reverse=True)


@pytest.mark.parametrize(
    "phrase, kinds", [("football clubs", {"group"}), ("rivers", {"river"}), ("thing", set()), ("", set())]
)
def test_the_kinds_that_a_phrase_names(phrase, kinds):
    assert kinds_named(phrase) == kinds
