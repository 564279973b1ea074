"""Graph reduction (HydraRAG §4.2.1, PoG §4.1): reduce a cut to what lies on a way from one topic to the next."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Index, Subgraph
from hydra_kg.steps.graph.cut_hops import Flags, HopGraph
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.util.number_columns import put_at, take_rows

Halves = npt.NDArray[np.int16]
"""Distances in half hops: entities stand at even numbers, mediators at odd ones."""

FAR: Final = np.int16(2**13)


@dataclass(frozen=True, slots=True, eq=False)
class Reduction:
    """A reduced cut with unchanged node numbers.

    ``rows`` are its edges in the cut, int64. ``nodes`` is the number of nodes that are still used.
    """

    graph: Subgraph
    rows: Ids
    nodes: int


def reduced(graph: HopGraph, order: Sequence[int], *, longest: int) -> Reduction:
    """Return the edges on ways of at most ``longest`` hops between consecutive topics of ``order``; no way is lost."""
    cut = graph.graph
    keep = np.zeros(len(cut.ids), np.bool_)
    between = _mediators(graph)
    far = [half_hops(graph, t, most=longest, between=between) for t in order]
    for one, other in pairwise(far):
        keep |= one + other <= 2 * longest
    rows = np.flatnonzero(take_rows(keep, cut.src) & take_rows(keep, cut.dst))
    mask = np.zeros(len(cut), np.bool_)
    mask[rows] = True
    return Reduction(cut.select(mask), rows, int(keep.sum()))


def half_hops(graph: HopGraph, start: int, *, most: int, between: Flags | None = None) -> Halves:
    """Return the distance of each node from a local node in half hops, int16 (N,).

    It is :data:`FAR` beyond ``most`` hops.
    """
    cut = graph.graph
    between = _mediators(graph) if between is None else between
    far = np.full(len(cut.ids), FAR, np.int16)
    far[graph.nodes[start]] = 0
    for hop in range(most):
        here = far == 2 * hop
        if not here.any():
            break
        events = np.zeros(len(far), np.bool_)
        for beyond in _neighbours(cut, here):
            through = take_rows(between, beyond)
            _nearer(far, beyond[~through], 2 * hop + 2)
            events[beyond[through]] = True
        events &= far > 2 * hop + 1
        far[events] = 2 * hop + 1
        for beyond in _neighbours(cut, events):
            _nearer(far, beyond[~take_rows(between, beyond)], 2 * hop + 2)
    return far


def entities_of(graph: HopGraph, cut: Subgraph) -> dict[int, int]:
    """Return how many entities the edges of each load touch in a cut, by the load's place in the manifest.

    This is the size of each graph before fusion.
    """
    between, found = _mediators(graph), {}
    for load in np.unique(cut.segment).tolist():
        rows = np.flatnonzero(cut.segment == load)
        there = np.zeros(len(cut.ids), np.bool_)
        there[take_rows(cut.src, rows)] = True
        there[take_rows(cut.dst, rows)] = True
        found[int(load)] = int((there & ~between).sum())
    return found


def _neighbours(cut: Subgraph, here: Flags) -> list[Index]:
    """Return the other ends of the edges with one end in ``here``, bool (N,): once for each direction."""
    if not here.any():
        return []
    return [
        take_rows(other, np.flatnonzero(take_rows(here, own)))
        for own, other in ((cut.src, cut.dst), (cut.dst, cut.src))
    ]


def _nearer(far: Halves, nodes: Index, halves: int) -> None:
    far[nodes[take_rows(far, nodes) > halves]] = halves


def _mediators(graph: HopGraph) -> Flags:
    """Return which classes of the cut are mediators, bool (N,)."""
    found = np.zeros(len(graph.graph.ids), np.bool_)
    put_at(found, graph.nodes, graph.mediator)
    return found
