"""Turn facts of a graph into hops of evidence."""

from __future__ import annotations

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.util.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Leg:
    """One hop of a path to a thing, before names and facts are fetched.

    Attributes:
        subject: class id at which the hop begins.
        code: twice the position of the predicate, plus 1 if the fact is followed forward.
        object: class id at which the hop ends.
        literal: key of the literal at which the hop ends, if it does not end at a class.
        via: class id of a mediator, or -1.
        handles: (load, row) of the facts that state the hop.
    """

    subject: int
    code: int
    object: int = 0
    literal: str = ""
    via: int = -1
    handles: tuple[tuple[int, int], ...] = ()


def leg_of(graph: OwnGraph, relation: int, forward: bool, before: int, after: int) -> Leg:
    """Return the hop between two places by a relation, with the handles of one or two facts that state it."""
    own = graph.relations[relation]
    start, end = (before, after) if forward else (after, before)
    rows = own.there.rows(np.array([start], np.int64))
    rows = rows[own.there.end[rows] == end][:2]
    handles = tuple((int(own.there.segment[r]), int(own.there.row[r])) for r in rows.tolist())
    if own.part_of >= 0:  # the day of which it is a part is what a source states
        own, end = graph.relations[own.part_of], int(graph.relations[own.part_of].there.end[rows[0]])
        before, after = start, end
    count = len(graph.ids)
    if end >= count:
        return Leg(int(graph.ids[start]), 2 * own.pred + 1, literal=graph.literals[end - count], handles=handles)
    return Leg(int(graph.ids[before]), 2 * own.pred + forward, int(graph.ids[after]), handles=handles)


def legs_about(graph: OwnGraph, place: int) -> tuple[Leg, ...]:
    """Return any fact about a thing that is an answer because of its class alone."""
    some: Ids = np.array([place], np.int64)
    for number, relation in enumerate(graph.relations):
        for row in relation.there.rows(some)[:1].tolist():
            return (leg_of(graph, number, True, place, int(relation.there.end[row])),)
    return ()
