"""How the best path stands among relations that the question may mean: by hand, in a world of six relations."""

from __future__ import annotations

import math
from dataclasses import fields
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.samples.subgraphs import Net

from hydra_kg import ids
from hydra_kg.domain import Predicates, RelationCompetition
from hydra_kg.steps.graph.cut_hops import HopGraph
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.steps.relevance.path_relevance import CEILING, Relevance
from hydra_kg.steps.retrieval.graph_retrieval import RetrievalResult
from hydra_kg.steps.verification.relation_competition import called_alike, relation_competition

KEYS = ("t.one.born", "t.one.died", "t.two.part", "t.one.seat", "t.seat.who", "t.one.birth")
TEXTS = ("born", "died", "part", "seat", "who", "birth")
BORN, DIED, PART, SEAT, WHO, BIRTH = 1, 3, 5, 7, 9, 11


class Compass:
    """Texts at right angles but for "birth", which says "born"; a question is how near it is to each of the others."""

    name, dimension, checksum = "compass", 6, "compass"
    axes = ("born", "died", "part", "seat", "who", "seat who")
    asked = (0.9, 0.5, 0.7, 0.0, 0.0, 0.3)

    def embed(self, texts):
        known = {**dict(zip(self.axes, np.eye(6), strict=True)), "birth": np.eye(6)[0]}
        return np.array([known.get(t, self.asked) for t in texts], np.float32).reshape(-1, 6)


class Seats:
    """A snapshot that knows one relation through mediators: who has a seat."""

    def relation_pairs(self):
        return np.array([[3, 1, 4, 1]], np.int32)


def space() -> RelationSpace:
    keys = np.array([ids.encode(k) for k in KEYS])
    return RelationSpace(Predicates(keys, KEYS, TEXTS, ("",) * 6, np.ones(6, np.int64)), Compass())


def stand(
    *path: int, edges=(), nodes: int = 4, mediators=frozenset(), bonus: float = 0.0, values=()
) -> RelationCompetition:
    """Of a path from node 0, around which the edges are."""
    relations = space()
    relevance = Relevance(relations, "?", snapshot=Seats())  # type: ignore[arg-type]
    graph = Net(nodes, edges, mediators).subgraph()
    hops = HopGraph(graph, predicates=relations.base // 2)
    found = RetrievalResult(graph, hops, (), 0, 1, frozenset())  # type: ignore[arg-type]
    score = float(relevance(np.array([path]))[0]) + bonus
    return relation_competition(relevance, path, score, found, values)


def weight(*fits: float) -> float:
    return sum(math.exp(20 * f) for f in fits)


EVERY = weight(0.9, 0.5, 0.7, 0, 0, 0.9, 0.3)


def test_a_relation_that_fits_better_and_is_not_stated_is_missing():
    found = stand(DIED, edges=((0, 1, 1),))
    kin = weight(0.9, 0.5, 0, 0.9, 0.3)  # what is said of type t.one: born, died, seat, birth, seat who
    assert found.own_of_all == pytest.approx(weight(0.5) / (EVERY + weight(0.5)))
    assert found.expected == pytest.approx(0.9 / CEILING)
    assert found.own == pytest.approx(weight(0.5) / (kin + weight(0.5)), rel=1e-4)
    assert found.stated == pytest.approx(weight(0.5) / kin, rel=1e-4)
    assert found.better == pytest.approx(math.log(3))  # born and birth
    assert found.lead == pytest.approx(-0.4)
    assert found.unfilled == pytest.approx(0.5)
    assert found.missing == "born"


def test_what_is_stated_is_not_missing_nor_what_says_the_same():
    found = stand(BORN, edges=((0, 0, 1), (0, 1, 2)))
    assert (found.missing, found.better) == ("", 0)
    assert found.stated == pytest.approx(1, abs=1e-4)  # birth says what born says
    assert found.lead == pytest.approx(0.9 - 0.3)


def test_what_is_said_of_other_types_is_not_expected_here():
    seated = stand(SEAT, edges=((0, 3, 1),))
    assert seated.better == pytest.approx(math.log(1 + 4))  # born, died, birth and seat who, not part


def test_a_mediator_without_the_slot_is_a_fact_without_its_answer():
    edges = ((0, 1, 1), (0, 3, 2))
    assert stand(DIED, edges=edges, mediators=frozenset({2})).unfilled == pytest.approx(0.5 - 0.3)
    filled = stand(DIED, edges=(*edges, (2, 4, 3)), mediators=frozenset({2}))
    assert filled.unfilled == pytest.approx(0.5)


def test_a_literal_of_the_topic_is_stated():
    assert stand(DIED, edges=((0, 1, 1),), values=(BORN, BIRTH)).missing == ""


def test_hops_are_compared_without_their_price_and_with_what_else_the_path_satisfies():
    half = 0.5**0.5
    two = stand(DIED, PART, edges=((0, 1, 1), (1, 2, 2)))
    assert two.lead == pytest.approx(half * (0.5 + 0.7) - 0.9, abs=1e-6)
    assert stand(DIED, edges=((0, 1, 1),), bonus=0.2).lead == pytest.approx(-0.2)


def test_where_the_surroundings_are_not_known_nothing_is_said_of_them():
    relevance = Relevance(space(), "?")
    found = relation_competition(relevance, (DIED,), 0.5)
    assert 0 < found.own_of_all < 1
    rest = {f.name for f in fields(RelationCompetition)} - {"own_of_all", "expected", "missing"}
    assert {getattr(found, name) for name in rest} == {None}


class Offices(Compass):
    """Three texts at right angles, of which the first fits best."""

    axes = ("one seat", "seat", "chair", "died", "", " ")
    asked = (0.9, 0.3, 0.3, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "text, missing",
    [("seat", ""), ("chair", "seat")],
)
def test_what_another_source_calls_the_same_is_not_missing(text, missing):
    keys, texts = ("t.one.seat", "P7", "t.one.died"), ("one seat", text, "died")
    codes = np.array([ids.encode(k) for k in keys])
    relations = RelationSpace(Predicates(codes, keys, texts, ("",) * 3, np.ones(3, np.int64)), Offices())
    relevance = Relevance(relations, "?", snapshot=Bare())  # type: ignore[arg-type]
    graph = Net(3, ((0, 1, 1), (0, 2, 2)), frozenset()).subgraph()
    found = RetrievalResult(graph, HopGraph(graph, predicates=relations.base // 2), (), 0, 1, frozenset())  # type: ignore[arg-type]
    assert relation_competition(relevance, (3,), 0.5, found).missing == missing


class Bare:
    """A snapshot without mediators."""

    def relation_pairs(self):
        return np.zeros((0, 4), np.int32)


def test_an_occupation_does_not_compete_with_a_profession():
    texts = ("occupation", "profession", "employer")
    space = SimpleNamespace(key=texts.__getitem__, text=texts.__getitem__)
    expected = SimpleNamespace(codes=np.arange(3))
    alike = called_alike(SimpleNamespace(space=space), expected, np.array([0.2, 0.9, 0.8], np.float32), [0])
    assert alike.tolist() == [True, True, False]
