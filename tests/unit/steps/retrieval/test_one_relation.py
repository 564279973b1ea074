"""Of the relations between two classes one is drawn: the one that dictionaries and loops draw, in either direction."""

from __future__ import annotations

import numpy as np
from helpers.samples.subgraphs import PREDICATES, nets
from hypothesis import given
from hypothesis import strategies as st

from hydra_kg.domain import Predicates
from hydra_kg.steps.retrieval.graph_retrieval import one_relation
from hydra_kg.steps.snapshots.kg_sampling import mixed

IDS = np.arange(7, 7 + PREDICATES, dtype=np.int64)
KNOWN = Predicates(IDS, ("a", "b", "c"), ("a", "b", "c"), ("", "", ""), np.ones(PREDICATES, np.int64))


@given(net=nets(), seed=st.integers(0, 3))
def test_between_two_classes_one_relation_stays_with_all_its_edges(net, seed):
    cut = net.subgraph()
    said: dict[tuple[int, int], dict[int, int]] = {}
    edges = list(zip(cut.ids[cut.src].tolist(), IDS[cut.pred].tolist(), cut.ids[cut.dst].tolist(), strict=True))
    for a, p, b in edges:
        low, high = min(a, b), max(a, b)
        draw = mixed(*(np.array([n], np.int64) for n in (low, p, high)), seed=seed)
        said.setdefault((low, high), {})[p] = int(draw[0])
    drawn = {pair: min(draws, key=lambda p: draws[p]) for pair, draws in said.items()}
    wanted = [n for n, (a, p, b) in enumerate(edges) if drawn[min(a, b), max(a, b)] == p]
    assert one_relation(cut, KNOWN, seed).row.tolist() == wanted
