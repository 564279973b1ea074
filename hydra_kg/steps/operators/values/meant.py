"""Choose between things of one name by another name: the one that the graph links with it is meant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hydra_kg.plan import model as m
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.hops import HopGraph


def linked_reading(context: Context, named: m.Named, other: m.Named) -> tuple[m.Named, tuple[str, ...]]:
    """Return the readings of the name one hop from ``other``, if any, and a doubt if there are several."""
    nodes = [named.node, *named.others]
    if len(nodes) < 2:
        return named, ()
    cut = context.snapshot.cut([other.node], depth=1)
    if (allowed := context.segments()) is not None:
        cut = cut.select(allowed[cut.segment])
    graph = HopGraph(cut, predicates=context.space.base // 2)
    start = graph.local(np.array([other.node], np.int64))
    around = set(graph.ids[graph.walk(start[start >= 0]).end].tolist())
    linked = [n for n in nodes if n in around]
    if not linked:
        return named, ()
    doubt = (f"which “{named.text}” is meant ({len(linked)} have that name)",) if len(linked) > 1 else ()
    return replace(named, node=linked[0], others=tuple(linked[1:])), doubt
