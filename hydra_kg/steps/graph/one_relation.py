"""HydraRAG-E (§5): between two classes, only one relation is seen, which is drawn by seed."""

from __future__ import annotations

import numpy as np

from hydra_kg.domain import Predicates, Subgraph
from hydra_kg.steps.snapshots.kg_sampling import mixed


def one_relation(graph: Subgraph, predicates: Predicates, seed: int) -> Subgraph:
    """Reduce the edges between two classes to one predicate, by the least 64-bit mix with classes and seed."""
    if not len(graph):
        return graph
    low, high = np.minimum(graph.src, graph.dst).astype(np.int64), np.maximum(graph.src, graph.dst)
    pair = low << 32 | high
    order = np.argsort(pair)
    again = np.diff(pair[order]) == 0
    several = np.append(again, False) | np.append(False, again)  # most pairs have one edge, and need no draw
    if not several.any():
        return graph
    first, rows = ~np.append(False, again)[several], order[several]
    draw = mixed(graph.ids[low[rows]], predicates.ids[graph.pred[rows]], graph.ids[high[rows]], seed=seed)
    least = np.minimum.reduceat(draw, np.flatnonzero(first))
    keep = np.ones(len(graph), np.bool_)
    keep[rows] = draw == least[np.cumsum(first) - 1]  # of one pair no two predicates mix to the same
    return graph.select(keep)
