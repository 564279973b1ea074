"""Cut subgraphs with sets and one sort, as a reference to test the fast implementations against."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hydra_kg.domain import Hops, Subgraph
from hydra_kg.errors import UsageError
from hydra_kg.util.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Edge:
    """A fact between classes. ``pred`` is the position of the predicate in ascending order.

    ``segment`` and ``row`` are the handle of the fact.
    """

    src: int
    pred: int
    dst: int
    segment: int
    row: int


def cut(
    classes: Sequence[int],
    edges: Sequence[Edge],
    mediators: set[int],
    topics: Sequence[int],
    *,
    depth: int,
    hops: Hops,
    rank: Sequence[float],
    budget: int,
    hub_cap: int,
) -> Subgraph:
    """Cut a subgraph: see :meth:`hydra_kg.ports.Snapshot.cut`.

    Classes are expanded in waves. With ``hops="entity"``, the mediators of a hop follow in waves of their own. An edge
    belongs to the hop, and its *near* end is the end, that was expanded first (the subject, if both at once). The other
    end is the neighbour in the order. Ties in all parts of the order are sorted by near end, then near ends that are
    the subject first, then handle.
    """
    if not 0 <= depth <= 100:
        raise UsageError(f"depth {depth} of a cut", remedy="Choose a depth between 0 and 100.")
    at: dict[int, list[Edge]] = {c: [] for c in classes}
    for e in edges:
        at[e.src].append(e)
        at[e.dst].append(e)
    found, skipped = dict.fromkeys(topics, 0), 0
    expanded: dict[int, tuple[int, int]] = {}
    front = set(topics)
    for hop in range(depth):
        wave, later = 0, set()
        while front:
            expanded |= dict.fromkeys(front, (hop, wave))
            new = {end for c in front for e in at[c] for end in (e.src, e.dst)} - found.keys()
            found |= dict.fromkeys(new, hop + 1)
            inner = {c for c in new if hops == "entity" and c in mediators}
            hubs = {c for c in new if hub_cap > 0 and len(at[c]) > hub_cap}
            skipped += len(hubs if hop + 1 < depth else hubs & inner)
            later |= new - inner - hubs
            front, wave = inner - hubs, wave + 1
        front = later

    def order(e: Edge) -> tuple[float, ...]:
        (hop, _), backward, near, far = min(
            (expanded[c], c != e.src, c, other) for c, other in ((e.src, e.dst), (e.dst, e.src)) if c in expanded
        )
        return hop, -rank[e.pred], e.pred, far, near, backward, e.segment, e.row

    inside = sorted((e for e in edges if e.src in expanded or e.dst in expanded), key=order)
    admitted = inside[:budget] if budget > 0 else inside
    if len(admitted) < len(inside):
        ends = {c for e in admitted for c in (e.src, e.dst)} | set(topics)
        found = {c: d for c, d in found.items() if c in ends}
    place = {c: n for n, c in enumerate(classes)}
    nodes = sorted((d, c) for c, d in found.items())
    return Subgraph(
        ids=np.array(classes, np.int64),
        mediator=np.array([c in mediators for c in classes], np.bool_),
        degree=np.array([len(at[c]) for c in classes], np.int32),
        nodes=np.array([place[c] for _, c in nodes], np.int32),
        depth=np.array([d for d, _ in nodes], np.int8),
        src=np.array([place[e.src] for e in admitted], np.int32),
        dst=np.array([place[e.dst] for e in admitted], np.int32),
        pred=np.array([e.pred for e in admitted], np.int32),
        segment=np.array([e.segment for e in admitted], np.int16),
        row=np.array([e.row for e in admitted], np.int64),
        level=np.array([int(order(e)[0]) for e in admitted], np.int8),
        topics=np.array([place[c] for c in topics], np.int32),
        truncated=len(admitted) < len(inside),
        dropped=len(inside) - len(admitted),
        skipped_hubs=skipped,
    )
