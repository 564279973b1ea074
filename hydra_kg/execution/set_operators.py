"""Evaluate the operators that give sets of things, from the leaves up."""

from __future__ import annotations

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.execution.conditions import filter_by_link_count, matching, meeting
from hydra_kg.execution.graph_columns import Denotation, FactSource, Rows, ascending, distinct_in_order
from hydra_kg.execution.ordered_things import select_by_file_order, top
from hydra_kg.plan import model as m
from hydra_kg.util.number_columns import in_both, in_first, sort_distinct


def rows_of(facts: FactSource, node: m.Operator, notes: Denotation | None = None) -> Rows:
    """Return a set's rows in order. ``notes`` receives missing, compared and computed ones.

    Raise LookupError if the set is not grounded.
    """
    notes = notes if notes is not None else Denotation()
    match node:
        case m.Operator(places=places) if places is not None:
            return Rows(places)
        case m.Where() | m.TextMatch() | m.Having():
            rows = rows_of(facts, node.of, notes)
            return rows.only(_chosen(facts, node, ascending(rows.things)))
        case m.Project():
            return project(facts, node, rows_of(facts, node.of, notes))
        case m.Both(parts=parts):
            return _combine_sets([rows_of(facts, part) for part in parts])
        case m.Without():
            return _combine_sets([rows_of(facts, node.of), rows_of(facts, node.less)], negated=True)
        case m.Either():
            return Rows(sort_distinct(np.concatenate([members(facts, part) for part in node.parts])))
        case m.Top(refs=(path,)):
            among = members(facts, path.among) if path is not None and path.among is not None else None
            return top(facts, node, rows_of(facts, node.of, notes), among, notes)
        case m.FileOrder():
            return Rows(select_by_file_order(facts, node, rows_of(facts, node.of, notes).things))
        case _:
            raise LookupError(f"{type(node).__name__} is not grounded in a graph, or not executed over columns")


def members(facts: FactSource, node: m.Operator) -> Ids:
    """Return the things of a set, ascending."""
    return ascending(rows_of(facts, node).things)


def project(facts: FactSource, node: m.Project, rows: Rows) -> Rows:
    """Return things with their values of the first column, in the order of the things."""
    if rows.ends is not None:
        return rows
    read = Rows(*facts.read(node.refs[0], rows.things))
    return read if ascending(rows.things) is rows.things else read.in_order(distinct_in_order(rows.things))


def _chosen(facts: FactSource, node: m.Where | m.TextMatch | m.Having, things: Ids) -> Ids:
    if isinstance(node, m.Having):
        return filter_by_link_count(facts, node, things, members(facts, node.things))
    return meeting(facts, node, things) if isinstance(node, m.Where) else matching(facts, node, things)


def _combine_sets(sets: list[Rows], *, negated: bool = False) -> Rows:
    """Intersect or subtract sets of things, projected ones by their values, like SQL INTERSECT and EXCEPT."""
    first, good = sets[0], sets[0].values
    for other in sets[1:]:
        good = in_first(good, other.values) if negated else in_both(good, other.values)
    if first.ends is None:
        return first.only(sort_distinct(good))
    in_common = np.isin(first.ends, good)
    return Rows(first.things[in_common], first.ends[in_common])
