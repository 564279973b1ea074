"""Execute queries over tables, and find the order of the rows in their files."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import numpy as np

from hydra_kg.domain import Fact, Ids
from hydra_kg.execution.graph_columns import NO_PLACES, Denotation, FactSource, no_order
from hydra_kg.execution.provenance import Provenance
from hydra_kg.execution.set_operators import members
from hydra_kg.execution.whole_queries import execute
from hydra_kg.plan.model import Scalar, Step, Things
from hydra_kg.plan.query_wording import words
from hydra_kg.steps.context import Context
from hydra_kg.steps.queries.to_query import TableTranslation, can_intersect
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.graph_tables import View
from hydra_kg.steps.tables.table_query import FUNCTIONS, RowCondition, TableQuery
from hydra_kg.util.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class TableReading:
    """A query with what it gives, and what is unsure about both. ``tree``: the query in the algebra."""

    view: View
    query: TableQuery
    tree: Things | Scalar
    provenance: Provenance
    result: Denotation
    cost: float
    intersected: bool = False
    """Whether the conditions are met by different rows of one value."""


def run_query(view: View, query: TableQuery, order: Order = no_order) -> TableReading:
    """Execute a query, and return its result with the tree of the algebra that was executed.

    If no single row meets all conditions, different rows of one value may meet them. A function of a column is computed
    over the rows of the column's own table if some of them meet the conditions.
    """
    facts, translation = FactSource(view.graph, view.within, order), TableTranslation(view, query)
    translation.intersected = can_intersect(query) and not len(members(facts, translation.rows()))
    if query.do in FUNCTIONS and query.columns and query.group is None:
        mine = translation.own_rows()
        translation.own = mine is not None and len(members(facts, mine)) > 0
    tree = translation.root()
    found = execute(facts, tree)
    return TableReading(view, query, tree, Provenance(facts, tree), found, query.cost, translation.intersected)


def meeting(view: View, base: int, conditions: list[RowCondition]) -> Ids:
    """Return the rows of a table that meet conditions, ascending."""
    query = TableQuery(base, where=conditions)
    return members(FactSource(view.graph, view.within), TableTranslation(view, query).rows())


def filter_steps(reading: TableReading) -> list[Step]:
    """Return how many rows meet the conditions of a query, where it has any that single rows meet."""
    if not (reading.query.where or reading.query.either) or reading.intersected:
        return []
    translation, facts = TableTranslation(reading.view, reading.query), reading.provenance.facts
    rows = translation.rows()
    before, after = (len(members(facts, node)) for node in (translation.among(), rows))
    said = f"{words(rows)}: {after} of {before}"
    return [Step("Today" if reading.query.holds_today else "Where", said, before, after)]


Order = Callable[[Ids], Ids]
"""The rows of a table in the order of their file; none where that is not known."""

_NUMBER: Final = re.compile(r"\d+")


def file_order(context: Context, view: View) -> Order:
    """Return the rows in the order of the file, by the citation of one fact each.

    Large tables and tables of several files have none.
    """
    most = costs.LISTED_ROWS

    def order(rows: Ids) -> Ids:
        if not len(rows) or len(rows) > most:
            return NO_PLACES
        handles: dict[int, tuple[int, int]] = {}
        for relation in view.graph.relations:
            at = relation.there.rows(rows)
            for row, place in zip(relation.there.start[at].tolist(), at.tolist(), strict=True):
                handles.setdefault(row, (int(relation.there.segment[place]), int(relation.there.row[place])))
        mine = sorted(handles)
        segments, facts = zip(*(handles[r] for r in mine), strict=True) if mine else ((), ())
        stated = context.stored.facts(np.array(segments, np.int16), np.array(facts, np.int64))
        places = [_place(fact) for fact in stated]
        if len(mine) < len(rows) or len({f.locator.file for f in stated}) != 1 or None in places:
            return NO_PLACES
        return np.array([row for _, row in sorted(zip(places, mine, strict=True))], np.int64)

    return order


def _place(fact: Fact) -> int | None:
    if fact.locator.line:
        return fact.locator.line
    number = _NUMBER.search(fact.locator.page)
    return int(number[0]) if number else None
