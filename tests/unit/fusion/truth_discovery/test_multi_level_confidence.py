"""Multi-level confidence against tables worked by hand, and against the formulas written out pair by pair."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from thorough import examples

from hydra_kg.fusion.model.claims import claims_of
from hydra_kg.fusion.truth_discovery import multi_level_confidence as c

# Three sources, three attributes of one flight. The gate: two say F78, one F79. The crew: a set of two, the same set,
# one of them and another. The airline: one source only.
ROWS = [
    ("AA-1", "gate", "a", "F78"),
    ("AA-1", "gate", "b", "F78"),
    ("AA-1", "gate", "c", "F79"),
    ("AA-1", "crew", "a", "Ann"),
    ("AA-1", "crew", "a", "Bob"),
    ("AA-1", "crew", "b", "Ann"),
    ("AA-1", "crew", "b", "Bob"),
    ("AA-1", "crew", "c", "Ann"),
    ("AA-1", "crew", "c", "Cy"),
    ("AA-1", "airline", "a", "American"),
]
# {Ann, Bob} and {Ann, Cy}: shared 1 of 2. Joint: .5 on (Ann, Ann), .125 on each of the four pairs. Both marginals
# (.75, .25): H = .5623; H of the joint (.625, .125, .125, .125) = 1.0735; I = .0511; 2 I / 2 H = .0910.
LIKE = 0.0910
GATE, CREW, AIRLINE = 0, 1, 2


def test_similarity_by_hand():
    h = -(0.75 * log(0.75) + 0.25 * log(0.25))
    both = -(0.625 * log(0.625) + 3 * 0.125 * log(0.125))
    assert c.similarity(2, 2, 1) == pytest.approx((2 * h - both) / h) == pytest.approx(LIKE, abs=1e-4)
    assert c.similarity(2, 2, 1, printed=True) == pytest.approx(LIKE / 2, abs=1e-4)
    table = {(1, 1, 1): (1, 0), (1, 1, 0): (0, 0), (2, 2, 2): (1, 0.5), (2, 2, 0): (0, 0), (3, 3, 3): (1, 0.5)}
    for shape, (ours, printed) in table.items():
        assert c.similarity(*shape) == pytest.approx(ours, abs=1e-9)
        assert c.similarity(*shape, printed=True) == pytest.approx(printed, abs=1e-9)


def test_graph_level_by_hand():
    claims = claims_of(ROWS)
    nodes = c.nodes_of(claims)
    consistent = c.consistency(claims, nodes)
    # gate: a and b agree (1) and both differ from c (0). crew: a and b are equal (1), c is like each of them.
    assert consistent == pytest.approx([0.5, 0.5, 0, (1 + LIKE) / 2, (1 + LIKE) / 2, LIKE, 0], abs=1e-4)
    expected = [2 * 1 / 6, 2 * (1 + LIKE + LIKE) / 6, 0]
    assert c.graph_confidence(nodes, consistent) == pytest.approx(expected, abs=1e-4)


def test_as_printed_no_graph_passes_one_half():
    claims = claims_of(ROWS)
    nodes = c.nodes_of(claims)
    printed = c.consistency(claims, nodes, printed=True)
    assert printed == pytest.approx([0, 0, 0, (0.5 + LIKE / 2) / 2, (0.5 + LIKE / 2) / 2, LIKE / 2, 0], abs=1e-4)
    assert c.graph_confidence(nodes, printed).max() <= 0.5


def test_authority_by_hand():
    claims = claims_of(ROWS)
    nodes = c.nodes_of(claims)
    # a speaks in 3 groups, b and c in 2: reach 1, log 3 / log 4, log 3 / log 4; of 3 attributes they know 3, 2, 2.
    few = (log(3) / log(4) + 2 / 3) / 2
    assert c.influence(claims, nodes) == pytest.approx([1, few, few, 1, few, few, 1])
    assert c.logistic(np.array([1.0]))[0] == pytest.approx(1 / (1 + exp(-0.5)))
    assert c.logistic(np.array([0.4]), centre=0.4)[0] == 0.5


def test_history_by_hand():
    claims = claims_of(ROWS)
    nodes = c.nodes_of(claims)
    found = c.historical(claims, nodes, credibility=np.array([0.8, 0.5, 0.5]), weight=np.array([50.0, 50, 2]))
    # gate: F78 has 2/3 of the nodes, F79 1/3, below a half. crew: Ann 1, Bob 2/3, Cy 1/3. airline: 1.
    expected = [
        (40 + 2 / 3) / 51,
        (25 + 2 / 3) / 51,
        (1 + 0) / 3,
        (40 + 1 + 2 / 3) / 52,
        (25 + 1 + 2 / 3) / 52,
        (1 + 1) / 4,
        (40 + 1) / 51,
    ]
    assert found == pytest.approx(expected)


def test_the_mixture_by_hand():
    one = c.node_confidence(np.array([0.5]), np.array([0.6]), np.array([0.8]))
    assert one[0] == pytest.approx(0.5 + 0.5 * 0.6 + 0.5 * 0.8)
    assert c.node_confidence(np.array([0.5]), np.array([0.6]), np.array([0.8]), alpha=1.0)[0] == pytest.approx(1.1)


def test_nothing_at_all():
    claims = claims_of([])
    nodes = c.nodes_of(claims)
    assert len(c.consistency(claims, nodes)) == len(c.influence(claims, nodes)) == 0


_claim = st.tuples(st.sampled_from("xyz"), st.sampled_from("pq"), st.sampled_from("abcd"), st.sampled_from("12345"))


@examples(40)
@given(st.lists(_claim, max_size=40), st.booleans(), st.integers(1, 30))
def test_in_bulk_as_pair_by_pair(rows, printed, chunk):
    claims = claims_of(rows)
    nodes = c.nodes_of(claims)
    before, c._PAIRS = c._PAIRS, chunk
    try:
        found = c.consistency(claims, nodes, printed=printed)
    finally:
        c._PAIRS = before
    said = {}
    for entity, attribute, source, value in rows:
        said.setdefault((entity, attribute), {}).setdefault(source, set()).add(value)
    for n, (group, source) in enumerate(zip(nodes.group.tolist(), nodes.source.tolist(), strict=True)):
        mine = said[claims.keys[group]][claims.sources[source]]
        others = [v for s, v in said[claims.keys[group]].items() if s != claims.sources[source]]
        worth = [c.similarity(len(mine), len(v), len(mine & v), printed=printed) for v in others]
        assert found[n] == pytest.approx(sum(worth) / len(worth) if worth else 0.0)
