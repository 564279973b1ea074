"""Relation paths from a topic: all of them when nothing is pruned, the best and the first when something is."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.samples.subgraphs import (
    PREDICATES,
    WIDE,
    Net,
    flat,
    found,
    hops,
    instances,
    liking,
    nets,
    relations,
    walks,
    write,
)
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg.steps.retrieval.path_search import Scorer, Tree, explore, near

A, B, C = ((0, True),), ((1, True),), ((2, True),)


def search(net: Net, *, depth: int = 3, score: Scorer = flat, avoid: tuple[int, ...] = (), **how) -> list[Tree]:
    """From the net's first topic, as wide as it gets unless said otherwise."""
    wide = {"width": WIDE, "fan": WIDE, "frontier": WIDE, **how}
    blocked = np.array([net.local(n) for n in avoid], np.int32)
    return explore(net.hops(), net.local(net.topics[0]), depth=depth, score=score, avoid=blocked, **wide)


@examples(80)
@given(net=nets(), avoid=st.sets(st.integers(0, 5), max_size=1))
def test_a_wide_search_finds_every_simple_relation_path(net, avoid):
    avoid = {n for n in avoid if n < net.nodes} - set(net.topics)
    wanted = [relations(net, net.topics[0], n, avoid) for n in (1, 2, 3)]
    got = found(search(net, avoid=tuple(avoid)), net)
    assert got + [{}] * (3 - len(got)) == wanted


@examples(30)
@given(net=nets(), width=st.integers(1, 3), fan=st.integers(1, 3), frontier=st.integers(1, 5))
def test_a_narrow_search_finds_nothing_that_is_not_there(net, width, fan, frontier):
    everything = [
        {
            (
                tuple(h.legs for h in chain),
                tuple(h.end for h in chain),
                tuple(h.via for h in chain),
                tuple(h.rows for h in chain),
            )
            for chain in walks(net, net.topics[0], length)
        }
        for length in (1, 2, 3)
    ]
    trees = search(net, width=width, fan=fan, frontier=frontier)
    for number, tree in enumerate(trees):
        assert tree.depth == number + 1
        for relation, nodes, via, rows in instances(tree, net):
            assert nodes[0] == net.topics[0]
            assert (relation, nodes[1:], via, rows) in everything[number]
    assert set(map(tuple, trees[0].codes.tolist())) == {write(r) for r in relations(net, net.topics[0], 1)}


@examples(30)
@given(net=nets(), depth=st.integers(1, 3), ends=st.sets(st.integers(0, 5), min_size=1, max_size=3))
def test_a_search_toward_some_nodes_finds_what_a_whole_one_finds_there(net, depth, ends):
    toward = np.array([net.local(n) for n in sorted(ends) if n < net.nodes], np.int32)
    whole, aimed = search(net, depth=depth), search(net, depth=depth, toward=toward)
    assert found(aimed, net)[: depth - 1] == found(whole, net)[: depth - 1]
    resumed = search(net, depth=depth, toward=toward, begun=search(net, depth=depth - 1)) if depth > 1 else aimed
    assert [instances(t, net) for t in resumed] == [instances(t, net) for t in aimed]
    assert [t.score.tolist() for t in resumed] == [t.score.tolist() for t in aimed]
    last = whole[depth - 1] if len(whole) == depth and depth > 1 else None
    fits = np.isin(last.ends, toward) if last is not None else np.zeros(0, np.bool_)
    if last is None or not fits.any():
        assert depth == 1 or len(aimed) < depth
        return
    tree = aimed[-1]
    assert tree.codes[tree.path].tolist() == last.codes[last.path][fits].tolist()
    assert instances(tree, net) == [i for i, fit in zip(instances(last, net), fits.tolist(), strict=True) if fit]


# From 0: A leads to 1 and 2, B to 3; then C leads on from each of them.
FORK = Net(
    8, ((0, 0, 2), (0, 0, 1), (0, 1, 3), (1, 2, 4), (2, 2, 5), (3, 2, 6), (6, 0, 7)), order=(0, 5, 4, 3, 2, 1, 6, 7)
)


@pytest.mark.parametrize(
    "worth, longer",
    [({write((A,)): 1.0}, {(A, C): {4, 5}}), ({write((B,)): 1.0}, {(B, C): {6}}), ({}, {(A, C): {4, 5}})],
    ids=["the first is better", "the second is better", "a tie goes to the lower code"],
)
def test_only_the_best_relation_paths_grow(worth, longer):
    assert found(search(FORK, depth=2, width=1, score=liking(worth)), FORK) == [{(A,): {1, 2}, (B,): {3}}, longer]


def test_of_each_relation_path_the_least_ends_grow():
    assert found(search(FORK, depth=2, fan=1), FORK)[1] == {(A, C): {4}, (B, C): {6}}


def test_a_frontier_is_filled_by_the_best_relation_paths_first():
    assert found(search(FORK, depth=2, frontier=1, score=liking({write((B,)): 1.0})), FORK)[1] == {(B, C): {6}}
    assert found(search(FORK, depth=2, frontier=2), FORK)[1] == {(A, C): {4, 5}}


def test_what_is_pruned_is_still_there_at_its_own_length():
    first, *_ = found(search(FORK, width=1), FORK)
    assert first == {(A,): {1, 2}, (B,): {3}}


def test_scores_are_those_of_the_scorer():
    worth = {write((A,)): 0.5, write((B,)): 0.25, write((B, C)): 0.75}
    trees = search(FORK, depth=2, score=liking(worth))
    for tree in trees:
        for codes, score in zip(tree.codes.tolist(), tree.score.tolist(), strict=True):
            assert score == worth.get(tuple(codes), 0.0)


def test_a_path_may_end_where_another_passed():
    # 0 → 1 → 3 → 2 and 0 → 2 → 3 → 1: both ends are reached only by the way that does not pass them before.
    diamond = Net(4, ((0, 0, 1), (0, 0, 2), (1, 1, 3), (2, 1, 3), (3, 2, 1), (3, 2, 2)))
    assert found(search(diamond), diamond)[2][A, B, C] == {1, 2}


def test_the_search_ends_where_the_graph_does():
    chain = Net(3, ((0, 0, 1), (1, 1, 2)))
    assert [tree.depth for tree in search(chain, depth=9)] == [1, 2]
    assert [len(tree) for tree in search(Net(1, ()), depth=9)] == [0]


def test_the_same_search_gives_the_same_arrays():
    net = Net(7, tuple((i % 4, i % PREDICATES, 3 + i % 4) for i in range(30)))
    for one, two in zip(search(net), search(net), strict=True):
        assert instances(one, net) == instances(two, net)
        for name in ("codes", "score", "path"):
            assert np.array_equal(getattr(one, name), getattr(two, name))


@examples(60)
@given(net=nets())
def test_near_gives_the_best_hop_to_each_neighbour_and_each_event_between(net):
    graph = net.hops()
    for node in range(net.nodes):
        wanted: dict[int, float] = {}
        for h in hops(net, node):
            (code,) = write((h.legs,))
            for near_by in (n for n in (h.end, h.via) if n >= 0 and n != node):
                wanted[near_by] = max(wanted.get(near_by, -1.0), code / 8)
        told = near(graph, net.local(node), score=lambda codes: np.asarray(codes[:, 0] / 8, np.float32))
        plain = near(graph, net.local(node))
        assert {net.node(i): v for i, v in enumerate(told.tolist()) if np.isfinite(v)} == wanted
        assert {net.node(i): v for i, v in enumerate(plain.tolist()) if np.isfinite(v)} == dict.fromkeys(wanted, 0.0)
