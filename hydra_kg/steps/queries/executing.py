"""Carry out queries over tables: each is translated into the algebra, which one executor evaluates."""

from __future__ import annotations

from dataclasses import dataclass

from hydra_kg.domain import Ids
from hydra_kg.execution.denotation import Denotation
from hydra_kg.execution.facts import FactSource, no_order
from hydra_kg.execution.provenance import Provenance
from hydra_kg.execution.sets import members
from hydra_kg.execution.values import execute
from hydra_kg.plan.model import Scalar, Step, Things
from hydra_kg.plan.words import words
from hydra_kg.steps.queries.file_order import Order
from hydra_kg.steps.queries.to_query import TableTranslation, can_intersect
from hydra_kg.steps.tables.query import FUNCTIONS, RowCondition, TableQuery
from hydra_kg.steps.tables.view import View


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
    """Return what a query gives, with the tree that was executed for it."""
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
