"""Find whether sources differ in the facts of a reading, so that verification says which value counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from hydra_kg.domain import Evidence
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.fusion.gathering.several_values import takes_several_values
from hydra_kg.steps.context import Context


def disputed(context: Context, graph: OwnGraph, evidence: Iterable[Evidence]) -> bool:
    """Return True if sources of different origin state other values for a hop whose relation is single-valued."""
    relations = {r.key: r.there for r in graph.relations}
    asked = {(h.predicate, (h.subject if h.forward else h.object).id) for e in evidence for h in e.path.hops}
    for key, node in sorted(asked):
        place = graph.place_of(node)
        if key not in relations or place is None:
            continue
        there = relations[key]
        rows = there.rows(np.array([place], np.int64))
        if len(np.unique(there.end[rows])) < 2 or takes_several_values(context.snapshot, key):
            continue
        said: defaultdict[str, set[int]] = defaultdict(set)
        facts = context.snapshot.facts(there.segment[rows].astype(np.int16), there.row[rows])
        for fact, end in zip(facts, there.end[rows].tolist(), strict=True):
            said[fact.source.group].add(end)
        if any(one != other for one in said.values() for other in said.values()):
            return True
    return False
