"""HydraRAG-E (§5): of the relations between two classes one is drawn by seed, and the others are not seen."""

from __future__ import annotations

import numpy as np

from hydra_kg.domain import Predicates, Subgraph
from hydra_kg.steps.completeness import mixed


def one_relation(graph: Subgraph, predicates: Predicates, seed: int) -> Subgraph:
    """The cut with the edges of one predicate between any two classes, in either direction; nodes stay.

    Drawn is the predicate with the least 64-bit mix of both classes, itself and the seed: the same in every store.
    """
    if not len(graph):
        return graph
    src, dst, pred = graph.ids[graph.src], graph.ids[graph.dst], predicates.ids[graph.pred]
    low, high = np.minimum(src, dst), np.maximum(src, dst)
    order = np.lexsort((mixed(low, pred, high, seed=seed), high, low))
    low, high, pred = low[order], high[order], pred[order]
    first = np.ones(len(order), np.bool_)
    first[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    drawn = pred[first][np.cumsum(first) - 1]
    keep = np.zeros(len(order), np.bool_)
    keep[order] = pred == drawn
    return graph.select(keep)
