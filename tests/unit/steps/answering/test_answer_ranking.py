"""From judged relation paths to answers: the best path's ends, like paths of other sources, the order by votes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.domain import Path, Scores
from hydra_kg.steps.answering.answer_ranking import LIKE_PATH, VOTE_SHARPNESS, VOTES, choose
from hydra_kg.steps.graph.traversal import Steps
from hydra_kg.steps.retrieval.graph_retrieval import JudgedPath
from hydra_kg.steps.retrieval.path_search import Tree
from hydra_kg.steps.retrieval.topic_constraint import RelationPath

SAME = np.array([1, 0], np.float32)
UNLIKE = np.array([0, 1], np.float32)


def judged(
    *ends: int,
    cross: float = 0.5,
    origin: str = "freebase",
    topic: int = 0,
    hops: int = 1,
    through: tuple[int, ...] = (),
) -> JudgedPath:
    """A judged path that leads to some local nodes."""
    none, nobody = np.zeros(0, np.int64), np.zeros(0, np.int32)
    last = Steps(none, none, nobody, nobody, none, none)
    tree = Tree(topic, np.zeros((1, hops), np.int64), np.zeros(1, np.float32), none, last)
    relation = RelationPath(tree, 0, 0.0, np.zeros(0, np.int64), np.array(ends, np.int32), through)
    return JudgedPath(relation, Path(()), frozenset({origin} - {""}), frozenset(), Scores(0.5, cross=cross))


def chosen(*paths: JudgedPath, vectors=None, most: int = 20) -> tuple[tuple[int, ...], list[int]]:
    choice = choose(paths, np.array(vectors if vectors is not None else [SAME] * len(paths), np.float32), most=most)
    return choice.members, [end for end, _ in choice.ends]


def test_nothing_found_is_nothing_chosen():
    assert chosen(vectors=np.zeros((0, 2))) == ((), [])


def test_the_best_path_answers():
    assert chosen(judged(7, 5), judged(9, cross=0.1)) == ((0,), [5, 7])


def test_like_paths_of_other_sources_stand_behind_the_best_one_and_add_no_answers():
    paths = judged(5, 6), judged(6, 7, cross=0.4, origin="wikidata"), judged(8, cross=0.3, origin="mine")
    assert chosen(*paths) == ((0, 1, 2), [6, 5])


@pytest.mark.parametrize(
    "other",
    [
        judged(9, cross=0.49),
        judged(9, cross=0.49, origin="wikidata", topic=1),
        judged(9, cross=0.49, origin="wikidata", hops=2),
        judged(9, cross=0.49, origin="wikidata", through=(3,)),
    ],
    ids=["same source", "other topic", "other length", "other constraints"],
)
def test_unlike_paths_are_not(other):
    assert chosen(judged(5), other) == ((0,), [5])


@pytest.mark.parametrize("cosine, alike", [(LIKE_PATH + 0.01, True), (LIKE_PATH - 0.01, False)])
def test_alike_means_near_in_meaning(cosine, alike):
    near = np.array([cosine, math.sqrt(1 - cosine**2)], np.float32)
    members, ends = chosen(judged(5), judged(9, origin="wikidata"), vectors=[SAME, near])
    assert (members, ends) == ((0, 1) if alike else (0,), [5])


def test_of_each_further_source_only_the_best_like_path():
    paths = judged(1), judged(2, origin="wikidata"), judged(3, origin="wikidata"), judged(4, origin="freebase")
    assert chosen(*paths)[0] == (0, 1)


def test_votes_are_those_of_the_formula():
    paths = [judged(5, 6, 7, 8), judged(6, cross=0.48, origin="b"), judged(7, cross=0.5, origin="c")]
    votes = dict(choose(paths, np.array([SAME, UNLIKE, UNLIKE])).ends)
    near = math.exp(VOTE_SHARPNESS * -0.02)
    assert votes == pytest.approx({7: 0.5 + 1, 6: 0.5 + near, 5: 0.5, 8: 0.5})
    assert chosen(*paths, vectors=[SAME, UNLIKE, UNLIKE])[1] == [7, 6, 5, 8]


def test_only_the_best_paths_vote():
    crowd = [judged(1, 2), *(judged(1, cross=0.5) for _ in range(VOTES - 1)), judged(2, cross=0.5)]
    votes = dict(choose(crowd, np.array([SAME, *[UNLIKE] * VOTES])).ends)
    assert votes == pytest.approx({1: 0.5**0.5 + VOTES - 1, 2: 0.5**0.5})


def test_votes_and_likeness_are_bounded(monkeypatch):
    monkeypatch.setattr("hydra_kg.steps.answering.answer_ranking.VOTES", 1)
    monkeypatch.setattr("hydra_kg.steps.answering.answer_ranking.LIKE_PATH", -1)
    paths = [judged(5, 6), judged(6, origin="b")]
    one = choose(paths, np.array([SAME, UNLIKE]))
    assert dict(one.ends) == pytest.approx({5: 0.5**0.5, 6: 0.5**0.5})
    assert one.members == (0, 1)


def test_equal_votes_are_ordered_by_place():
    assert chosen(judged(9, 3, 6))[1] == [3, 6, 9]


def test_no_more_answers_than_asked_for():
    assert chosen(judged(*range(50)), most=3)[1] == [0, 1, 2]


PATHS = st.lists(
    st.builds(
        lambda ends, c, o, t, h: judged(*sorted(ends), cross=c, origin=o, topic=t, hops=h),
        st.sets(st.integers(0, 9), min_size=1, max_size=4),
        st.sampled_from([0.2, 0.5, 0.6, 0.9]),
        st.sampled_from(["a", "b", "c", ""]),
        st.integers(0, 1),
        st.integers(1, 2),
    ),
    min_size=1,
    max_size=30,
)


@given(paths=PATHS, most=st.integers(1, 20))
def test_every_answer_is_an_end_of_the_best_path(paths, most):
    paths = sorted(paths, key=lambda j: -j.scores.cross)
    choice = choose(paths, np.array([SAME] * len(paths)), most=most)
    assert choice.members[0] == 0
    assert list(choice.members) == sorted(set(choice.members))
    ends = set(paths[0].relation.ends.tolist())
    got = [e for e, _ in choice.ends]
    assert len(got) == len(set(got)) == min(most, len(ends))
    assert set(got) <= ends
    votes = [v for _, v in choice.ends]
    assert votes == sorted(votes, reverse=True)
    shared = [o for m in choice.members for o in paths[m].origins]
    assert len(shared) == len(set(shared)), "no source is united with itself"
