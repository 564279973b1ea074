"""How relations read, in both directions and through events, and that each text is embedded once."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg import ids
from hydra_kg.domain import Predicates
from hydra_kg.fakes import FakeEmbedder
from hydra_kg.phrases import relation_text
from hydra_kg.steps.graph.cut_hops import HopGraph
from hydra_kg.steps.graph.relation_space import ROOM, RelationScope, RelationSpace, compose

KEYS = (
    "film.actor.film",
    "film.performance.film",
    "people.person.place_of_birth",
    "P19",
    "https://example.org/ns#part_of",
)
TEXTS = (*map(relation_text, KEYS[:3]), "place of birth", "part of")
INVERSE = ("film.performance.actor", "", "location.location.people_born_here", "", "")
PREDICATES = Predicates(np.array([ids.encode(k) for k in KEYS]), KEYS, TEXTS, INVERSE, np.ones(len(KEYS), np.int64))
LEGS = 2 * len(KEYS)
BASE = 2 * (len(KEYS) + ROOM)


def forward(n: int) -> int:
    return 2 * n + 1


def backward(n: int) -> int:
    return 2 * n


def through(first: int, second: int) -> int:
    return (first + 1) * BASE + second


LEGAL = [*range(LEGS), *(through(a, b) for a in range(LEGS) for b in range(LEGS))]


class Counting(FakeEmbedder):
    """Remembers what it was asked to embed."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def embed(self, texts):
        self.asked.extend(texts)
        return super().embed(texts)


@pytest.fixture
def space() -> RelationSpace:
    return RelationSpace(PREDICATES, Counting())


@pytest.mark.parametrize(
    "key, text",
    [
        ("people.person.place_of_birth", "person place of birth"),
        ("place_of_birth", "place of birth"),
        ("P19", "P19"),
        ("https://example.org/ns#part_of", "ns#part of"),
        ("https://example.org/a.b/part_of", "part of"),
        ("https://example.org/", "https://example.org/"),
        ("", ""),
        ("_", "_"),
    ],
)
def test_a_key_reads_as_its_last_two_segments(key, text):
    assert relation_text(key) == text


@given(st.text())
def test_every_key_reads_as_something(key):
    assert relation_text(key) or not key.strip()


@pytest.mark.parametrize(
    "code, key, text",
    [
        (forward(2), "people.person.place_of_birth", "person place of birth"),
        (backward(2), "location.location.people_born_here", "location people born here"),
        (forward(3), "P19", "place of birth"),
        (backward(3), "^P19", "place of birth of"),
        (through(forward(0), forward(1)), "film.actor.film./film.performance.film", "actor film film"),
        (
            through(backward(1), backward(0)),
            "^film.performance.film./film.performance.actor",
            "performance film of actor",
        ),
        (through(forward(3), backward(1)), "P19./^film.performance.film", "place of birth film of"),
        (through(forward(0), forward(4)), "film.actor.film./https://example.org/ns#part_of", "actor film part of"),
        (through(forward(0), backward(4)), "film.actor.film./^https://example.org/ns#part_of", "actor film part of of"),
    ],
)
def test_a_hop_reads_in_the_direction_it_is_walked(space, code, key, text):
    assert space.key(code) == key
    assert space.text(code) == text
    assert space.backward(code) == ("^" in key)


def test_vectors_are_those_of_the_texts(space):
    codes = np.array([forward(2), through(forward(0), forward(1)), forward(2), backward(3)], np.int64)
    wanted = FakeEmbedder().embed([space.text(int(c)) for c in codes])
    assert np.array_equal(space.vectors(codes), wanted)
    assert space.vectors(np.zeros(0, np.int64)).shape == (0, space.embedder.dimension)


@given(calls=st.lists(st.lists(st.sampled_from(LEGAL), max_size=6), max_size=5))
def test_no_text_is_embedded_twice_for_one_relation(calls):
    space = RelationSpace(PREDICATES, Counting())
    for codes in calls:
        got = space.vectors(np.array(codes, np.int64))
        assert np.array_equal(got, FakeEmbedder().embed([space.text(c) for c in codes]))
    assert len(space.embedder.asked) == len({c for codes in calls for c in codes})


def test_many_threads_get_the_same_vectors():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # so that threads meet in the middle of everything
    try:
        for _ in range(5):
            space, embedder = RelationSpace(PREDICATES, FakeEmbedder()), FakeEmbedder()

            def ask(seed, space=space, embedder=embedder):
                codes = np.random.default_rng(seed).choice(LEGAL, 40)
                return np.array_equal(space.vectors(codes), embedder.embed([space.text(int(c)) for c in codes]))

            with ThreadPoolExecutor(8) as pool:
                assert all(pool.map(ask, range(16)))
    finally:
        sys.setswitchinterval(interval)


@given(pairs=st.lists(st.tuples(*[st.integers(0, len(KEYS) - 1), st.integers(0, 1)] * 2), max_size=5))
def test_what_is_embedded_ahead_is_what_paths_need(pairs):
    space = RelationSpace(PREDICATES, FakeEmbedder())
    ahead = space.all_texts(np.array(pairs, np.int32).reshape(-1, 4))
    walked = [through(2 * a + b, 2 * c + d) for a, b, c, d in pairs]
    assert ahead == sorted({space.text(c) for c in [*range(LEGS), *walked]})


@pytest.mark.slow
def test_everything_that_the_sample_can_walk_was_embedded_ahead(sample):
    with sample.store.snapshot() as snapshot:
        space = RelationSpace(snapshot.predicates(), FakeEmbedder())
        ahead = set(space.all_texts(snapshot.relation_pairs()))
        for key in ("m.06qjgc", "m.0dvmd", "m.0345h", "Q95"):
            cut = snapshot.cut(snapshot.lookup([key]), depth=2)
            graph = HopGraph(cut, predicates=space.base // 2)
            codes = np.unique(graph.expand(np.arange(min(len(graph), 2_000), dtype=np.int32)).code)
            assert len(codes) > 50
            assert {space.text(c) for c in codes.tolist()} <= ahead


def test_words_of_relations_are_known_as_words(space):
    assert {"place", "birth", "person", "film"} <= space.words
    assert "of" not in space.words


def test_a_path_is_the_sum_of_its_hops():
    one = np.array([[1, 0, 0], [1, 0, 0]], np.float32)
    two = np.array([[0, 1, 0], [-1, 0, 0]], np.float32)
    half = 0.5**0.5
    assert compose([one, two]) == pytest.approx(np.array([[half, half, 0], [0, 0, 0]]))
    assert compose([one]) == pytest.approx(one)


@examples(50)
@given(codes=st.lists(st.sampled_from(LEGAL), min_size=1, max_size=3))
def test_composed_vectors_have_length_one(codes):
    space = RelationSpace(PREDICATES, FakeEmbedder())
    length = float(np.linalg.norm(compose([space.vectors(np.array([c], np.int64)) for c in codes])[0]))
    assert length == pytest.approx(1, abs=1e-5) or length < 1e-5


def said(*phrases: str) -> Predicates:
    last = int(PREDICATES.ids[-1]) + 1
    return Predicates(
        np.concatenate([PREDICATES.ids, last + np.arange(len(phrases))]),
        (*KEYS, *phrases),
        (*TEXTS, *phrases),
        (*INVERSE, *("" for _ in phrases)),
        np.concatenate([PREDICATES.counts, np.ones(len(phrases), np.int64)]),
    )


def test_what_text_says_is_a_relation_for_its_own_question_only(space):
    one, other = space.question(), space.question()
    assert one.extend(said("was led by"))
    assert one.extend(said("was led by", "ruled"))
    assert other.extend(said("wrote"))
    phrase = forward(len(KEYS))
    codes = np.array([phrase, forward(0), through(phrase, backward(1)), through(backward(2), phrase)], np.int64)
    for mine in (one, other):
        wanted = FakeEmbedder().embed([mine.text(int(c)) for c in codes])
        assert np.array_equal(mine.vectors(codes), wanted)
        assert mine.backwards(codes).tolist() == [mine.backward(c) for c in codes.tolist()]
    assert one.text(phrase) == "was led by"
    assert other.text(phrase) == "wrote"
    assert "ruled" in one.words
    assert not {"led", "ruled", "wrote"} & space.words
    assert one.base == space.base
    assert len(space.predicates.ids) == len(KEYS)


def test_questions_share_the_vectors_of_what_is_stored(space):
    for _ in range(3):
        question = space.question()
        question.extend(said("led"))
        question.vectors(np.array([forward(0), backward(2)], np.int64))
        assert np.array_equal(question.forward, FakeEmbedder().embed(list(TEXTS)))
    assert len(space.embedder.asked) == len(set(space.embedder.asked)) == len(TEXTS) + 1


def test_more_phrases_than_there_is_room_for_are_left_out(space):
    question = space.question()
    assert not question.extend(said(*(f"phrase {n}" for n in range(ROOM + 1))))
    assert question.predicates is PREDICATES
    assert question.extend(said(*(f"phrase {n}" for n in range(ROOM))))
    with pytest.raises(ValueError, match="one question"):
        space.extend(said("led"))


@given(st.lists(st.sampled_from(LEGAL)))
def test_directions_of_many_are_those_of_each(codes):
    space = RelationSpace(PREDICATES, FakeEmbedder())
    assert space.backwards(np.array(codes, np.int64)).tolist() == [space.backward(c) for c in codes]


def test_what_is_worked_out_once_is_shared_by_all_questions_about_a_snapshot() -> None:
    space, made = RelationSpace(PREDICATES, FakeEmbedder()), []

    def make() -> object:
        made.append(1)
        return object()

    first, second = space.question(), space.question()
    assert first.once("graph", make) is second.once("graph", make) is space.once("graph", make)
    assert first.once("other", make) is not first.once("graph", make)
    assert RelationSpace(PREDICATES, FakeEmbedder()).once("graph", make) is not first.once("graph", make)
    assert len(made) == 3


def test_threads_wait_for_what_is_worked_out_once() -> None:
    space, made = RelationSpace(PREDICATES, FakeEmbedder()), []

    def make() -> object:
        time.sleep(0.05)
        made.append(1)
        return object()

    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(lambda _: space.question().once("graph", make), range(8)))
    assert len(set(map(id, got))) == len(made) == 1


def test_only_relations_of_the_part_asked_about_compete():
    shared = RelationSpace(PREDICATES, FakeEmbedder())
    inside = np.array([False, False, False, True, True])
    mine, others = shared.question(), shared.question()
    mine.confine(RelationScope("own graph", inside))
    no_pairs = lambda: np.zeros((0, 4), np.int32)  # noqa: E731
    assert {code >> 1 for code in mine.expected(no_pairs).codes.tolist()} == {3, 4}
    assert mine.inside.tolist() == inside.tolist()
    assert {code >> 1 for code in others.expected(no_pairs).codes.tolist()} == set(range(5))


def test_what_all_questions_share_is_not_confined():
    with pytest.raises(ValueError, match="one question"):
        RelationSpace(PREDICATES, FakeEmbedder()).confine(None)
