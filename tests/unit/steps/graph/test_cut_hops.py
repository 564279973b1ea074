"""A cut seen as hops: what a person would call one step, both ways, through events, never back."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from helpers.samples.subgraphs import PREDICATES, Hop, Net, hops, nets, read, write
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg.steps.graph.cut_hops import HopGraph, legs_of
from hydra_kg.steps.graph.traversal import Steps

PLAYS, ROLE, BORN = 0, 1, 2
# Actor 0 plays in film 1 over the event 4, in film 2 over the event 5; 0 was born in 3; 3 is twinned with itself.
FILMS = Net(
    6,
    ((0, PLAYS, 4), (1, ROLE, 4), (0, PLAYS, 5), (5, ROLE, 2), (0, BORN, 3), (3, BORN, 3)),
    frozenset({4, 5}),
    order=(2, 0, 5, 3, 4, 1),
)


def steps(net: Net, graph: HopGraph, taken: Steps) -> list[tuple[int, Hop]]:
    """What was taken: (walker, hop) in the numbers of the net."""
    rows = zip(taken.walker, taken.code, taken.via, taken.end, taken.edge, taken.edge2, strict=True)
    return sorted(
        (
            int(walker),
            Hop(
                read([code])[0],
                net.node(int(via)) if via >= 0 else -1,
                net.node(int(end)),
                (int(edge),) if edge2 < 0 else (int(edge), int(edge2)),
            ),
        )
        for walker, code, via, end, edge, edge2 in rows
    )


def expand(net: Net, *nodes: int, **how) -> list[tuple[int, Hop]]:
    graph = net.hops(**how)
    return steps(net, graph, graph.expand(np.array([net.local(n) for n in nodes], np.int32)))


def test_an_event_between_two_entities_is_one_hop():
    assert [hop for _, hop in expand(FILMS, 0)] == [
        Hop(((PLAYS, True), (ROLE, False)), 4, 1, (0, 1)),
        Hop(((PLAYS, True), (ROLE, True)), 5, 2, (2, 3)),
        Hop(((BORN, True),), -1, 3, (4,)),
    ]
    assert [hop for _, hop in expand(FILMS, 1)] == [Hop(((ROLE, True), (PLAYS, False)), 4, 0, (1, 0))]


def test_by_the_papers_count_an_event_is_a_place_to_stop():
    assert {hop.end for _, hop in expand(FILMS, 0, hops="paper")} == {3, 4, 5}
    assert {hop.via for _, hop in expand(FILMS, 0, hops="paper")} == {-1}


def test_nobody_walks_to_where_they_stand():
    assert [hop for _, hop in expand(FILMS, 3)] == [Hop(((BORN, False),), -1, 0, (4,))]


def test_walkers_that_start_at_the_same_place_walk_alike():
    alone = [hop for _, hop in expand(FILMS, 0)]
    together = expand(FILMS, 0, 3, 0)
    assert [hop for walker, hop in together if walker == 0] == alone
    assert [hop for walker, hop in together if walker == 2] == alone


@examples(60)
@given(net=nets(), data=st.data(), mode=st.sampled_from(["entity", "paper"]))
def test_every_hop_and_no_other(net, data, mode):
    starts = data.draw(st.lists(st.integers(0, net.nodes - 1), max_size=4))
    seen = net if mode == "entity" else Net(net.nodes, net.edges, frozenset(), net.topics, net.order)
    wanted = sorted((walker, hop) for walker, node in enumerate(starts) for hop in hops(seen, node))
    assert expand(net, *starts, hops=mode) == wanted


@examples(30)
@given(net=nets(), level=st.integers(0, 2))
def test_a_shallow_view_has_only_the_edges_found_so_far(net, level):
    rows = [i for i, at in enumerate(net.levels) if at <= level]
    for node in range(net.nodes):
        kept = Net(net.nodes, tuple(net.edges[i] for i in rows), net.mediators, net.topics, net.order)
        wanted = [Hop(h.legs, h.via, h.end, tuple(rows[r] for r in h.rows)) for h in hops(kept, node)]
        assert [hop for _, hop in expand(net, node, max_level=level)] == sorted(wanted)


@examples(30)
@given(net=nets(), data=st.data(), limit=st.integers(0, 6))
def test_a_limit_bounds_the_rows_and_invents_none(net, data, limit):
    starts = data.draw(st.lists(st.integers(0, net.nodes - 1), min_size=1, max_size=4))
    graph = net.hops()
    everything = expand(net, *starts)
    some = steps(net, graph, graph.expand(np.array([net.local(n) for n in starts], np.int32), limit=limit))
    assert set(some) <= set(everything)
    assert sum(len(hop.legs) == 1 for _, hop in some) <= 2 * limit
    assert sum(len(hop.legs) == 2 for _, hop in some) <= 2 * limit


def test_what_a_limit_leaves_are_the_first_rows():
    star = Net(6, tuple((0, 0, n) for n in range(1, 6)))
    graph = star.hops()
    taken = graph.expand(np.array([0], np.int32), limit=3)
    assert taken.edge.tolist() == [0, 1, 2]


@given(net=nets())
def test_rows_of_a_hop_are_the_edges_of_the_cut_that_make_it(net):
    graph = net.hops()
    cut = graph.graph
    taken = graph.expand(np.arange(len(graph), dtype=np.int32))
    for k in range(len(taken)):
        here, end, via = int(taken.walker[k]), int(taken.end[k]), int(taken.via[k])
        places = [here, end] if via < 0 else [here, via, end]
        rows = [int(taken.edge[k])] if via < 0 else [int(taken.edge[k]), int(taken.edge2[k])]
        found = legs_of(int(taken.code[k]), graph.base)
        assert len(found) == len(rows)
        for row, leg, a, b in zip(rows, found, places, places[1:], strict=False):
            ends = (cut.src[row], cut.dst[row]) if leg & 1 else (cut.dst[row], cut.src[row])
            assert ends == (graph.nodes[a], graph.nodes[b])
            assert cut.pred[row] == leg >> 1


def test_class_ids_find_their_local_numbers():
    graph = FILMS.hops()
    wanted = np.array([100, 130, 115, -7, 160, 10**15], np.int64)
    assert graph.local(wanted).tolist() == [FILMS.local(0), FILMS.local(3), -1, -1, -1, -1]
    assert graph.ids[graph.topics].tolist() == [100]


def test_a_cut_of_nothing_has_no_hops():
    graph = Net(0, (), topics=()).hops()
    assert len(graph) == 0
    assert len(graph.expand(np.zeros(0, np.int32))) == 0
    assert graph.local(np.array([100], np.int64)).tolist() == [-1]
    lonely = Net(1, ()).hops()
    assert len(lonely.expand(np.zeros(1, np.int32))) == 0


LEG = st.tuples(st.integers(0, PREDICATES - 1), st.booleans())


@given(relation=st.lists(st.lists(LEG, min_size=1, max_size=2).map(tuple), max_size=4).map(tuple))
def test_codes_are_legs_written_as_one_number(relation):
    codes = write(relation)
    assert read(codes) == relation
    assert len(set(codes)) == len(set(relation))


@pytest.mark.parametrize("code, legs", [(0, (0,)), (5, (5,)), (6, (0, 0)), (11, (0, 5)), (41, (5, 5))])
def test_legs_of_a_code(code, legs):
    assert legs_of(code, 6) == legs


@pytest.mark.parametrize("limit", [3, 1000])
def test_the_order_of_edges_within_a_level_does_not_matter(limit):
    """Stores give them in orders of their own; rows name the facts."""
    cut, order = FILMS.subgraph(), np.random.default_rng(1).permutation(len(FILMS.edges))
    columns = {c: getattr(cut, c)[order] for c in ("src", "dst", "pred", "segment", "row", "level")}
    mixed = dataclasses.replace(cut, **columns)
    found = []
    for graph in (cut, mixed):
        taken = HopGraph(graph, predicates=PREDICATES).expand(np.arange(6, dtype=np.int32), limit=limit)
        found.append((taken.walker.tolist(), taken.code.tolist(), taken.end.tolist(), graph.row[taken.edge].tolist()))
    assert found[0] == found[1]


@given(net=nets(), data=st.data(), limit=st.integers(0, 6) | st.just(1000))
def test_hops_that_are_put_in_order_afterwards_are_as_if_they_had_been_found_in_it(net, data, limit):
    cut = net.subgraph()
    mixed = np.array(data.draw(st.permutations(range(len(cut)))), np.int64)
    mixed = mixed[np.argsort(cut.level[mixed], kind="stable")]
    columns = {c: getattr(cut, c)[mixed] for c in ("src", "dst", "pred", "segment", "row", "level")}
    graph = HopGraph(dataclasses.replace(cut, **columns), predicates=PREDICATES)
    nodes = np.array(data.draw(st.lists(st.integers(0, len(graph) - 1), max_size=4)), np.int32)
    found, wanted = graph.walk(nodes, limit=limit), graph.expand(nodes, limit=limit)
    every = np.arange(len(found))
    rows, expected = every[found.order(every, found.code)], wanted.take(wanted.order(every, wanted.code))
    got = found.take(rows)
    for name in ("walker", "code", "via", "end", "edge", "edge2"):
        assert getattr(got, name).tolist() == getattr(expected, name).tolist()
    one = [found.hop(row) for row in rows.tolist()]
    assert one == [expected.hop(row) for row in every.tolist()]
    assert found.mediators(rows).tolist() == expected.via.tolist()
