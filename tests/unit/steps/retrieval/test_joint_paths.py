"""Paths through all topics: all that loops find and nothing else, on small graphs drawn at random."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from helpers.samples.subgraphs import WIDE, Net, flat, liking, nets, read, walks, write
from hypothesis import assume, given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg.steps.graph.cut_hops import HopGraph
from hydra_kg.steps.graph.graph_reduction import entities_of, reduced
from hydra_kg.steps.retrieval.joint_paths import Chains, through_all

Found = set[tuple[object, ...]]


def brute(net: Net, *, depth: int, most: int, least: int = 0) -> Found:
    """Every simple path from the first topic to the last one by all others in their order, none farther than twice
    ``depth`` from the one before: relations, nodes, mediators and facts."""
    first, *_, last = net.topics
    found: Found = set()
    for length in range(least + 1, most + 1):
        for chain in walks(net, first, length):
            nodes = [first, *(h.end for h in chain)]
            stops = [nodes.index(t) for t in net.topics if t in nodes]
            whole = len(stops) == len(net.topics) and stops == sorted(stops) and nodes[-1] == last
            if whole and all(b - a <= 2 * depth for a, b in pairwise(stops)):
                relation = tuple(h.legs for h in chain)
                found.add((relation, tuple(nodes), tuple(h.via for h in chain), tuple(h.rows for h in chain)))
    return found


def searched(net: Net, graph: HopGraph | None = None, *, depth: int, most: int, least: int = 0) -> Found:
    graph = net.hops() if graph is None else graph
    topics = [net.local(t) for t in net.topics]
    chains = through_all(graph, topics, depth=depth, most=most, least=least, score=flat, width=WIDE, frontier=WIDE)
    return {one for c in chains for one in instances(c, net)}


def instances(chains: Chains, net: Net) -> list[tuple[object, ...]]:
    """As :func:`brute` says them; the places of the topics must hold these."""
    out = []
    for k in range(len(chains.path)):
        nodes = tuple(net.node(n) for n in chains.nodes[k].tolist())
        assert [nodes[s] for s in chains.stops] == list(net.topics)
        via = tuple(net.node(v) if v >= 0 else -1 for v in chains.via[k].tolist())
        rows = tuple(tuple(r for r in hop if r >= 0) for hop in chains.edges[k].tolist())
        out.append((read(chains.codes[chains.path[k]]), nodes, via, rows))
    return out


@examples(120)
@given(net=nets(topics=3, edges=12), depth=st.integers(1, 3), window=st.booleans())
def test_no_path_through_all_topics_is_missed_and_none_is_made_up(net, depth, window):
    assume(len(net.topics) > 1)
    most = len(net.topics) * depth
    least = len(net.topics) * (depth - 1) if window else 0
    assert searched(net, depth=depth, most=most, least=least) == brute(net, depth=depth, most=most, least=least)


@examples(60)
@given(net=nets(topics=3, edges=16), depth=st.integers(1, 3))
def test_the_reduced_graph_holds_the_same_paths(net, depth):
    assume(len(net.topics) > 1)
    most = len(net.topics) * depth
    graph = net.hops()
    small = reduced(graph, [net.local(t) for t in net.topics], longest=2 * depth)
    assert len(small.graph) <= len(graph.graph)
    assert small.nodes <= net.nodes
    left = HopGraph(small.graph, predicates=3)
    kept = {
        (r, n, v, tuple(tuple(int(small.rows[e]) for e in h) for h in rows))
        for r, n, v, rows in searched(net, left, depth=depth, most=most)
    }
    assert kept == searched(net, depth=depth, most=most)


P = ((0, True),)
# Alpha 0 → Xray 1 → Answer 2 ← Yankee 3 ← Bravo 4; Alpha → Xtwo 5, Xthree 6 lead nowhere.
TOY = Net(7, ((0, 0, 1), (1, 0, 2), (3, 0, 2), (4, 0, 3), (0, 0, 5), (0, 0, 6)), topics=(0, 4))


def test_two_topics_meet_in_the_middle():
    (chains,) = through_all(TOY.hops(), [0, 4], depth=2, most=4, score=flat)
    assert chains.nodes.tolist() == [[0, 1, 2, 3, 4]]
    assert chains.stops == (0, 4)
    assert not searched(TOY, depth=1, most=2)


def test_what_leads_nowhere_is_reduced_away():
    graph = TOY.hops()
    small = reduced(graph, [0, 4], longest=4)
    assert (len(small.graph), small.nodes) == (4, 5)
    assert entities_of(graph, graph.graph) == {0: 7}
    assert entities_of(graph, small.graph) == {0: 5}


def test_only_the_best_relation_paths_of_a_level_grow():
    # Two ways from 0 to 5, over different relations.
    net = Net(6, ((0, 0, 1), (1, 0, 2), (2, 0, 5), (0, 1, 3), (3, 1, 4), (4, 1, 5)), topics=(0, 5))
    other = ((1, True),)
    worth = liking({write((P,)): 1.0, write((other,)): 2.0})
    (chains,) = through_all(net.hops(), [0, 5], depth=2, most=4, score=worth, width=1)
    assert [read(c) for c in chains.codes] == [(other, other, other)]


@pytest.mark.parametrize("limit", [1, 3, 40])
def test_a_limit_bounds_what_meets(limit):
    """A hub of a hundred middles between two topics."""
    edges = tuple((t, 0, m) for m in range(2, 102) for t in (0, 1))
    net = Net(102, edges, topics=(0, 1))
    (chains,) = through_all(net.hops(), [0, 1], depth=1, most=2, score=flat, limit=limit)
    assert len(chains.path) == limit
    assert np.unique(chains.nodes[:, 1]).size == limit
