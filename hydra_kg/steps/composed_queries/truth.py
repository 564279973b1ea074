"""Whether a statement about one row of a table is true: "Did Tom Reed compose Salt?", "Tom Reed composed Salt."."""

from __future__ import annotations

import numpy as np

from hydra_kg.domain import AnswerValue, Ids
from hydra_kg.plan.model import Among, Step, Things
from hydra_kg.steps.answering.literal_paths import literal_node
from hydra_kg.steps.answering.results import uncontested
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.results.evidence import evidence_for
from hydra_kg.steps.operators.results.executed import Executed
from hydra_kg.steps.own_graphs.own_graph import OwnGraph
from hydra_kg.steps.queries.answering import TableReading, confidence_in, legs_of, table_view
from hydra_kg.steps.queries.executing import Execution, Result
from hydra_kg.steps.queries.reading import queries
from hydra_kg.steps.queries.rows import Rows
from hydra_kg.steps.queries.to_query import rows_query
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.query import RowCondition, TableQuery
from hydra_kg.steps.tables.view import View


def read_truth(graph: OwnGraph, context: Context) -> Executed | None:
    """Return yes or no for a value of a named row, whose own table has all conditions; else None."""
    view = table_view(graph, context)
    for query in queries(view, context.question, context.space.embedder.embed):
        named = [c for c in query.where if _is_name(query, c)]
        others = [c for c in query.where if c not in named]
        cost = query.cost - costs.ECHO
        if query.unplaced or query.do != "list" or query.columns[1:] or len(named) != 1 or not others:
            continue
        if cost > costs.MOST or query.limit or query.group is not None or not all(_is_value(query, c) for c in others):
            continue
        execution = Execution(view, query)
        rows = execution.meeting(named, view.rows(query.base))
        stated = [r for r in rows.tolist() if all(_has_value(execution, c, r) for c in others)]
        if not stated:
            continue
        good = execution.meeting(others, np.array(stated, np.int64))
        shown = good.tolist() or stated
        asked = Among(_rows_that(query, named, view), _rows_that(query, others, view))
        query.columns = [] if len(good) else [c for c in (others[0].column,) if c is not None]
        reading = TableReading(
            view, query, execution, Result(values=_values(execution, query, shown), rows=shown), cost
        )
        return _executed(context, reading, asked, is_true=bool(len(good)))
    return None


def _is_name(query: TableQuery, condition: RowCondition) -> bool:
    column = condition.column
    return column is not None and column.relation < 0 and column.table == query.base and not condition.negated


def _is_value(query: TableQuery, condition: RowCondition) -> bool:
    column = condition.column
    positive = condition.places is not None and not condition.negated
    return positive and column is not None and column.table == query.base and column.relation >= 0


def _has_value(execution: Execution, condition: RowCondition, row: int) -> bool:
    return condition.column is not None and bool(len(execution.values(condition.column, _one(row))[1]))


def _values(execution: Execution, query: TableQuery, rows: list[int]) -> list[int]:
    """Return one value to cite for each row: that of the shown column, or the row itself."""
    if not query.columns:
        return rows
    return [int(execution.values(query.columns[0], _one(row))[1][0]) for row in rows]


def _one(row: int) -> Ids:
    return np.array([row], np.int64)


def _rows_that(query: TableQuery, conditions: list[RowCondition], view: View) -> Things:
    return rows_query(Rows(view, TableQuery(query.base, where=conditions)))


def _executed(context: Context, reading: TableReading, asked: Among, *, is_true: bool) -> Executed:
    confidence = confidence_in(reading)
    literal = f'"{str(is_true).lower()}"^^xsd:boolean'
    name, graph = "yes" if is_true else "no", reading.view.graph
    end = (literal_node(literal),)
    ways = [(legs_of(reading, row, n), end) for n, row in enumerate(reading.result.rows[:1])]
    row = graph.name(reading.result.rows[0])
    conditions = " and ".join(c.text for c in reading.query.where if not _is_name(reading.query, c))
    said = f"{row}: {conditions} is {'stated' if is_true else 'not what is stated'}"
    answer = AnswerValue(name, None, literal, (), confidence)
    conclusion = uncontested((answer,), evidence_for(context, ways, relevance=confidence), computation=said)
    return Executed(conclusion, (Step("Holds", said, 1, 1),), confidence, (), "", True, query=asked)
