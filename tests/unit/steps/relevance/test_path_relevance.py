"""Relevance of relation paths, by hand: cosine, what the wording suggests, the price of each further hop."""

from __future__ import annotations

import numpy as np
import pytest

from hydra_kg import ids
from hydra_kg.domain import Analysis, Predicates
from hydra_kg.models.embedding.embedders import make_embedder
from hydra_kg.models.embedding.learned import load_relevance_matrix
from hydra_kg.settings import Settings
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.question_graph import QuestionGraph
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.steps.relevance.path_relevance import Relevance, relevance_of

KEYS = ("a.born", "a.died", "a.part")
TEXTS = ("born", "died", "part")
BORN, BORN_BACK, DIED, PART = 1, 0, 3, 5
HALF = 0.5**0.5


class Compass:
    """Three texts at right angles, and "both" half-way between the first two."""

    name, dimension, checksum = "compass", 3, "compass"
    places = {"born": (1, 0, 0), "died": (0, 1, 0), "part": (0, 0, 1), "both": (HALF, HALF, 0), "born of": (1, 0, 0)}

    def embed(self, texts):
        return np.array([self.places.get(t, (0.6, 0.8, 0)) for t in texts], np.float32).reshape(-1, 3)


def space() -> RelationSpace:
    keys = np.array([ids.encode(k) for k in KEYS])
    return RelationSpace(Predicates(keys, KEYS, TEXTS, ("",) * 3, np.ones(3, np.int64)), Compass())


def score(*paths: tuple[int, ...], indicator: str = "born", **how) -> list[float]:
    weights = {"hint_weight": 0.4, "hop_penalty": 0.3} | how
    return Relevance(space(), indicator, **weights)(np.array(paths, np.int64)).tolist()


def test_one_hop_is_its_cosine():
    assert score((BORN,), (DIED,), (PART,)) == pytest.approx([1, 0, 0])
    assert score((BORN,), (DIED,), (PART,), indicator="something else") == pytest.approx([0.6, 0.8, 0])


def test_each_further_hop_costs():
    assert score((BORN, DIED)) == pytest.approx([HALF - 0.3])
    assert score((BORN, DIED), indicator="both") == pytest.approx([1 - 0.3])
    assert score((BORN, DIED, PART), hop_penalty=0.1) == pytest.approx([3**-0.5 - 0.2])


def test_the_best_hint_on_the_best_hop_counts_once():
    assert score((PART,), (DIED,), hints=[["part", "died"]]) == pytest.approx([0.4, 0.4])
    assert score((PART,), hints=[["both"]], hint_weight=1.0) == pytest.approx([0])
    assert score((BORN, PART), hints=[["part"]], hint_weight=0.5) == pytest.approx([HALF + 0.5 - 0.3])


def test_several_groups_of_hints_want_to_be_covered():
    # The path says the first of two groups only: best 1, mean 1/2, half of each.
    assert score((DIED,), hints=[["died"], ["part"]], coverage=0.5) == pytest.approx([0.4 * 0.75])
    assert score((DIED, PART), hints=[["died"], ["part"]], coverage=0.5) == pytest.approx([0.4 - 0.3])
    assert score((DIED,), hints=[["died"], ["part"]], coverage=0.0) == pytest.approx([0.4])
    assert score((DIED,), hints=[["died"]], coverage=1.0) == pytest.approx([0.4])


def test_what_is_asked_for_counts_on_the_last_hop():
    assert score((DIED, PART), (PART, DIED), noun="part", noun_weight=0.1) == pytest.approx([0.1 - 0.3, -0.3])
    assert score((PART,), noun="", noun_weight=0.1) == pytest.approx([0])


def test_a_hint_counts_half_where_a_hop_is_read_backward():
    assert score((BORN,), (BORN_BACK,), indicator="part", hints=[["born"]]) == pytest.approx([0.4, 0.2])


def test_vectors_are_composed_alike():
    relevance = Relevance(space(), "born")
    codes = np.array([(BORN, DIED), (PART, PART)], np.int64)
    assert relevance.vectors(codes) == pytest.approx(np.array([[HALF, HALF, 0], [0, 0, 1]]))


def test_the_rank_of_predicates_is_rounded():
    rank = Relevance(space(), "something else").rank()
    assert rank.dtype == np.float32
    assert rank.tolist() == pytest.approx([0.6, 0.8, 0], abs=1e-7)
    assert np.array_equal(rank, np.round(rank, 3))


def test_no_paths_have_no_scores():
    relevance = Relevance(space(), "born", hints=[["died"]])
    assert relevance(np.zeros((0, 1), np.int64)).shape == (0,)
    nothing = Predicates(np.zeros(0, np.int64), (), (), (), np.zeros(0, np.int64))
    assert Relevance(RelationSpace(nothing, Compass()), "born").rank().shape == (0,)


def test_weights_come_from_the_settings():
    settings = Settings(relevance={"hint_weight": 0.25, "hop_penalty": 0.5, "composed_penalty": 0.125})
    context = Context("born?", QuestionGraph(None, space()), settings, None, None, None)  # type: ignore[arg-type]
    for composed, penalty in ((False, 0.5), (True, 0.125)):
        analysis = Analysis("born?", "born", (), 2, hints=(("part",),), composed=composed)
        relevance = relevance_of(context, analysis)
        assert relevance(np.array([(BORN, PART)], np.int64)).tolist() == pytest.approx([HALF + 0.25 - penalty])


def test_what_was_learned_is_added_hop_by_hop():
    taught = space()
    taught.learned = np.array([[0, 2, 0], [0, 0, 0], [0, 0, 0]], np.float32)  # "born" also means "died"

    def score(path, weight):
        return Relevance(taught, "born", learned_weight=weight, hop_penalty=0.3)(np.array([path], np.int64))[0]

    assert score((DIED,), 1.0) == pytest.approx(2)
    assert score((DIED,), 0.5) == pytest.approx(1)
    assert score((DIED,), 0.0) == pytest.approx(0)
    assert score((PART,), 1.0) == pytest.approx(0)
    assert score((DIED, PART), 1.0) == pytest.approx(1 - 0.3)  # the mean over both hops, less the price of the second


def test_what_was_learned_also_ranks_predicates_for_a_cut():
    taught = space()
    taught.learned = np.array([[0, 2, 0], [0, 0, 0], [0, 0, 0]], np.float32)
    assert Relevance(taught, "born", learned_weight=1.0).rank().tolist() == pytest.approx([1, 2, 0])


def test_what_was_learned_speaks_of_one_embedder_only():
    checksum = make_embedder().checksum
    matrix = load_relevance_matrix(checksum)
    assert matrix is not None
    assert matrix.shape == (384, 384)
    assert load_relevance_matrix("another model") is None


TYPED = ("t.one.born", "t.two.died", "t.one.seat", "t.seat.part")


class Slots:
    """A snapshot that knows one relation through mediators: a seat's part."""

    def relation_pairs(self):
        return np.array([[2, 1, 3, 1]], np.int32)


def typed_space() -> RelationSpace:
    keys = np.array([ids.encode(k) for k in TYPED])
    return RelationSpace(
        Predicates(keys, TYPED, ("born", "died", "seat", "part"), ("",) * 4, np.ones(4, np.int64)), Compass()
    )


def test_the_slot_of_a_mediator_is_expected_too():
    found = typed_space().expected(Slots().relation_pairs)
    through = (2 * 2 + 1 + 1) * typed_space().base + 2 * 3 + 1
    assert found.codes.tolist()[-1] == through
    assert len(found.codes) == 4 + 1  # what is read against its direction is not expected
    place = {int(c): d for c, d in zip(found.codes, found.domains, strict=True)}
    assert place[1] == place[5] == place[through] != place[3]


def test_a_rare_predicate_is_expected_of_nobody(monkeypatch):
    monkeypatch.setattr("hydra_kg.steps.graph.relation_space.COMMON", 3)
    found = typed_space().expected(Slots().relation_pairs)
    assert found.codes.tolist() == [1, 3, 5]
