"""The line graph against its definitions, and against what a rebuilt one says."""

from __future__ import annotations

import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg.fusion.gathering.line_graph import LineGraph, Triples


def triples(rows):
    columns = np.array(rows, np.int64).reshape(-1, 5)
    s, a, o, source, when = columns.T
    return Triples(s, a.astype(np.int32), o, source.astype(np.int32), when.astype(np.int32))


# Flight 1 has gate (attribute 0) 100 by two sources, 101 by a third; flight 2 a gate by one; flight 1 is of airline 9.
ROWS = [(1, 0, 100, 0, 0), (1, 0, 100, 1, 0), (1, 0, 101, 2, 0), (2, 0, 100, 0, 0), (1, 1, 9, 0, 0)]


def test_groups_and_isolated_points():
    graph, _ = LineGraph().added(triples(ROWS))
    found = graph.homologous()
    assert found.keys.tolist() == [[1, 0, 0], [1, 1, 0], [2, 0, 0]]
    assert [found.of(g).tolist() for g in range(3)] == [[0, 1, 2], [4], [3]]
    assert found.isolated.tolist() == [False, True, True]
    assert found.sources.tolist() == [3, 1, 1]
    assert found.across.tolist() == [True, False, False]


def test_triples_are_adjacent_if_they_share_a_node():
    graph, _ = LineGraph().added(triples(ROWS))
    assert graph.neighbours(2, 100).tolist() == [0, 1, 3], "the gate that two flights share"
    assert graph.neighbours(1, 9).tolist() == [0, 1, 2, 4], "the flight that it is about"
    assert graph.neighbours(7, 8).tolist() == []


def test_what_holds_at_another_time_is_another_group():
    graph, _ = LineGraph().added(triples([(1, 0, 100, 0, 1), (1, 0, 101, 1, 2)]))
    assert graph.homologous().isolated.all()


def test_a_new_source_touches_its_groups_only():
    graph, _ = LineGraph().added(triples(ROWS))
    more, touched = graph.added(triples([(2, 0, 102, 3, 0), (5, 0, 100, 3, 0)]))
    assert touched.keys.tolist() == [[2, 0, 0], [5, 0, 0]]
    assert [touched.of(g).tolist() for g in range(2)] == [[3, 5], [6]]
    assert len(graph) == 5, "the graph before is as it was"
    assert len(more) == 7


def test_an_empty_graph():
    graph, touched = LineGraph().added(triples([]))
    assert len(graph) == len(graph.homologous()) == len(touched) == 0
    assert len(LineGraph().homologous()) == 0
    assert graph.group(1, 0).tolist() == []


_row = st.tuples(*(st.integers(0, n) for n in (4, 2, 5, 3, 1)))


@examples(20)
@given(st.lists(st.lists(_row, max_size=8), max_size=20))
def test_block_by_block_is_as_all_at_once(blocks):
    graph = LineGraph()
    for block in blocks:
        graph, touched = graph.added(triples(block))
        for g, (s, a, when) in enumerate(touched.keys.tolist()):
            assert touched.of(g).tolist() == graph.group(s, a, when).tolist()
    rows = [row for block in blocks for row in block]
    whole, _ = LineGraph().added(triples(rows))
    one, other = graph.homologous(), whole.homologous()
    assert one.keys.tolist() == other.keys.tolist()
    assert one.members.tolist() == other.members.tolist()
    assert one.sources.tolist() == other.sources.tolist()
    for s, _, o, _, _ in rows[:5]:
        near = [n for n, (x, _, y, _, _) in enumerate(rows) if {x, y} & {s, o}]
        assert graph.neighbours(s, o).tolist() == near == whole.neighbours(s, o).tolist()


def test_a_hundred_thousand_claims_are_added_without_the_rest_being_read_again():
    """No limit of time: work is counted. The blocks of before are the same objects after."""
    rng = np.random.default_rng(0)
    n = 100_000
    big = Triples(
        rng.integers(0, 50_000, n),
        np.zeros(n, np.int32),
        rng.integers(0, 9, n),
        np.zeros(n, np.int32),
        np.zeros(n, np.int32),
    )
    graph, _ = LineGraph().added(big)
    before = graph._blocks
    started = time.perf_counter()
    graph, touched = graph.added(big)
    print(f"{n:,} claims added to {n:,}: {time.perf_counter() - started:.2f} s")
    assert graph._blocks[:-1] == before
    assert len(touched) == len(np.unique(big.subject))
