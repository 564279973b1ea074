"""Relation paths through all topics: what touches the other topics wins, and nothing that ends in a topic."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from helpers.samples.subgraphs import WIDE, Net, Relation, flat, hops, instances, nets, write
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg.steps.graph.cut_hops import HopGraph
from hydra_kg.steps.retrieval.path_search import Tree, explore, near
from hydra_kg.steps.retrieval.topic_constraint import RelationPath, constrain

BONUS = 0.2


def trees_of(net: Net, graph: HopGraph, *, depth: int = 2, score=flat) -> list[Tree]:
    """Every relation path from the first topic."""
    topic = net.local(net.topics[0])
    return explore(graph, topic, depth=depth, score=score, width=WIDE, fan=WIDE, frontier=WIDE)


def best(
    net: Net, *, depth: int = 2, score=flat, keep: int = 80, barred: Sequence[int] = ()
) -> tuple[HopGraph, list[RelationPath]]:
    graph = net.hops()
    topics = [net.local(t) for t in net.topics]
    close = {t: near(graph, t) for t in topics}
    trees = trees_of(net, graph, depth=depth, score=score)
    return graph, constrain(
        graph, trees, topics=topics, near=close, bonus=BONUS, keep=keep, barred=np.array(barred, np.int32)
    )


def beside(net: Net, topic: int) -> set[int]:
    """What is one hop from a topic, events on the way included."""
    return {n for h in hops(net, topic) for n in (h.end, h.via) if n >= 0}


def ends(net: Net, path: RelationPath) -> list[int]:
    return [net.node(n) for n in path.ends.tolist()]


PLAYS, DIRECTED = 0, 1
# Actors 0 and 1; films 2, 3, 4; director 5. Events 6 … 9: who plays where.
FILMS = Net(
    10,
    (
        (0, PLAYS, 6),
        (6, PLAYS, 2),
        (1, PLAYS, 7),
        (7, PLAYS, 2),
        (0, PLAYS, 8),
        (8, PLAYS, 3),
        (1, PLAYS, 9),
        (9, PLAYS, 4),
        (5, DIRECTED, 2),
        (5, DIRECTED, 4),
        (0, DIRECTED, 3),
    ),
    frozenset({6, 7, 8, 9}),
    topics=(0, 1),
)
PLAYED_IN: Relation = (((PLAYS, True), (PLAYS, True)),)


def test_films_with_both_actors():
    graph, paths = best(FILMS, depth=1)
    assert [(p.codes, ends(FILMS, p), p.through) for p in paths] == [
        (write(PLAYED_IN), [2], (1,)),
        (write((((DIRECTED, True),),)), [3], ()),
    ]
    assert [p.score for p in paths] == pytest.approx([BONUS, 0.0])
    assert {p.hops for p in paths} == {1}
    assert graph.ids[paths[0].ends].tolist() == [120]


def test_nothing_ends_where_none_may():
    _, free = best(FILMS, depth=1)
    film = FILMS.local(2)
    _, paths = best(FILMS, depth=1, barred=[film, -1])  # -1: outside the cut
    assert film in {int(e) for p in free for e in p.ends}
    assert film not in {int(e) for p in paths for e in p.ends}
    assert [3] in [ends(FILMS, p) for p in paths]


def test_without_another_topic_every_film_stays():
    alone = Net(FILMS.nodes, FILMS.edges, FILMS.mediators)
    paths = {p.codes: p for p in best(alone, depth=1)[1]}
    assert ends(alone, paths[write(PLAYED_IN)]) == [2, 3]
    assert paths[write(PLAYED_IN)].through == ()


def test_a_path_may_touch_the_other_topic_on_its_way():
    # Who directed a film with both: 0 → film → director; the director is not beside 1, the film is.
    directed_by = (*PLAYED_IN, ((DIRECTED, False),))
    paths = {p.codes: p for p in best(FILMS)[1]}
    assert ends(FILMS, paths[write(directed_by)]) == [5]
    assert paths[write(directed_by)].through == (1,)


def test_an_event_shared_with_the_other_topic_counts():
    # 0 and 1 meet in event 3, whose role is 2: the role is one hop from both.
    meeting = Net(4, ((0, 0, 3), (1, 1, 3), (3, 2, 2)), frozenset({3}), topics=(0, 1))
    (path,) = best(meeting, depth=1)[1]
    assert (ends(meeting, path), path.through) == ([2], (1,))


def test_no_answer_is_a_topic():
    friends = Net(2, ((0, 0, 1),), topics=(0, 1))
    assert best(friends)[1] == []


def test_what_touches_more_topics_leaves_the_rest_behind():
    # From 0 to 3, 4, 5 alike: 3 is beside topics 1 and 2, 4 beside 1, 5 beside none.
    net = Net(6, ((0, 0, 3), (0, 0, 4), (0, 0, 5), (1, 1, 3), (1, 1, 4), (2, 1, 3)), topics=(0, 1, 2))
    (path,) = best(net, depth=1)[1]
    assert (ends(net, path), path.through, path.score) == ([3], (1, 2), pytest.approx(2 * BONUS))


def test_instances_that_touch_different_topics_have_none_in_common():
    net = Net(5, ((0, 0, 3), (0, 0, 4), (1, 1, 3), (2, 1, 4)), topics=(0, 1, 2))
    (path,) = best(net, depth=1)[1]
    assert (ends(net, path), path.through, path.score) == ([3, 4], (), pytest.approx(BONUS))


def test_only_the_best_are_kept_the_shorter_first():
    fan = Net(5, ((0, 0, 1), (0, 1, 2), (1, 2, 3), (2, 2, 4)))
    everything = best(fan)[1]
    assert [(p.hops, p.codes) for p in everything] == sorted((p.hops, p.codes) for p in everything)
    assert [p.codes for p in best(fan, keep=3)[1]] == [p.codes for p in everything[:3]]


@examples(60)
@given(net=nets(topics=3), data=st.data())
def test_as_dictionaries_and_loops_would(net, data):
    values = data.draw(st.lists(st.sampled_from([0.0, 0.25, 0.5]), min_size=1, max_size=9))

    def score(codes):
        return np.array([values[sum(row) % len(values)] for row in codes.tolist()], np.float32)

    graph, got = best(net, score=score, keep=WIDE)
    topic, *others = net.topics
    wanted = []
    for tree in trees_of(net, graph, score=score):
        groups: dict[Relation, list[tuple[frozenset[int], int]]] = {}
        for relation, nodes, via, _ in instances(tree, net):
            if nodes[-1] not in net.topics:
                passed = {*nodes[1:], *via} - {-1}
                touched = frozenset(o for o in others if o in passed or passed & beside(net, o))
                groups.setdefault(relation, []).append((touched, nodes[-1]))
        for relation, rows in groups.items():
            most = max(len(touched) for touched, _ in rows)
            rows = [row for row in rows if len(row[0]) == most]
            common = [o for o in others if all(o in touched for touched, _ in rows)]
            worth = values[sum(write(relation)) % len(values)] + BONUS * most
            reached = sorted({end for _, end in rows})
            wanted.append((round(-worth, 5), len(relation), write(relation), reached, common))
    assert [
        (round(-p.score, 5), p.hops, p.codes, ends(net, p), [net.node(t) for t in p.through]) for p in got
    ] == sorted(wanted)
    for path in got:
        assert sorted({net.node(n) for n in path.tree.ends[path.rows].tolist()}) == ends(net, path)
        assert {path.tree.path[row] for row in path.rows.tolist()} == {path.index}
        assert path.tree.topic == net.local(topic)


def test_what_the_hop_to_another_topic_says_counts_by_its_weight():
    graph = FILMS.hops()
    topics = [FILMS.local(t) for t in FILMS.topics]
    close = {t: near(graph, t, score=lambda codes: np.full(len(codes), 0.5, np.float32)) for t in topics}
    trees = trees_of(FILMS, graph, depth=1)
    paths = constrain(graph, trees, topics=topics, near=close, bonus=BONUS, weight=0.4)
    assert [p.score for p in paths] == pytest.approx([BONUS + 0.4 * 0.5, 0.0])
