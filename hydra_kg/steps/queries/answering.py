"""A question read as a query over the tables of a store: answers, with the facts that lead to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hydra_kg.domain import AnswerValue, Ids, Node
from hydra_kg.plan.model import Scalar, Step, Things
from hydra_kg.plan.words import words
from hydra_kg.steps.answering.literal_paths import literal_node
from hydra_kg.steps.answering.results import uncontested
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.results.evidence import evidence_for
from hydra_kg.steps.operators.results.executed import Executed
from hydra_kg.steps.operators.results.found import Leg
from hydra_kg.steps.own_graphs.own_graph import OwnGraph
from hydra_kg.steps.queries.executing import Execution, Result
from hydra_kg.steps.queries.file_order import Order, file_order, no_order
from hydra_kg.steps.queries.fitting import echoes, fits_question
from hydra_kg.steps.queries.reading import queries
from hydra_kg.steps.queries.to_query import table_query
from hydra_kg.steps.schema.facts import leg_of, legs_about
from hydra_kg.steps.schema.question import WHETHER
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.cells import cell_query
from hydra_kg.steps.tables.cues import tokens
from hydra_kg.steps.tables.query import RowCondition, TableQuery
from hydra_kg.steps.tables.view import NAME, Column, View, view_of
from hydra_kg.text.folding import fold

_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


@dataclass(frozen=True, slots=True, eq=False)
class TableReading:
    """A query with what came of it, and what is unsure about both."""

    view: View
    query: TableQuery
    execution: Execution
    result: Result
    cost: float


def read_tables(graph: OwnGraph, context: Context) -> TableReading | None:
    """The cheapest query that finds something; None where no query accounts for the question."""
    return None if WHETHER.match(context.question) else read_question(graph, context, context.question)


def read_question(graph: OwnGraph, context: Context, question: str) -> TableReading | None:
    """The same of a question of one's own wording."""
    view = table_view(graph, context)
    order = file_order(context, view)
    reading = best(view, queries(view, question, context.space.embedder.embed), order)
    if reading is not None and not reading.query.unplaced and reading.cost <= costs.LEAD_FROM:
        return reading
    said = tokens(question)
    cell = cell_query(view, said, lambda query: fits_question(view, said, query))
    found = best(view, [cell], order) if cell is not None else None
    return found if found is not None and (reading is None or found.cost < reading.cost) else reading


def table_view(graph: OwnGraph, context: Context) -> View:
    """Return the tables of a graph, computed once per graph; names that mean one thing alone are those of `graph`."""
    stored = graph.stored or graph
    view = context.once(("tables", stored), lambda: view_of(stored))
    return view if view.graph is graph else replace(view, graph=graph)


def best(view: View, readings: Sequence[TableQuery], order: Order = no_order) -> TableReading | None:
    """The cheapest of some queries, those that find nothing last; None where all are too dear, or where another one
    that says something else is as good as a dear one."""
    found: list[TableReading] = []
    for query in readings[: costs.EXECUTED]:
        if found and query.cost > min(r.cost for r in found) + costs.LEAD:
            break
        execution = Execution(view, query, order)
        result = execution.run()
        cost = query.cost + (0.0 if result else costs.EMPTY) + (costs.NONE if result.number == 0 else 0.0)
        cost += costs.ECHO if echoes(view, query, result.values) else 0.0
        found.append(TableReading(view, query, execution, result, cost))
    least = min((r.cost for r in found), default=0.0)
    near = [r for r in found if r.cost < least + costs.LEAD]
    one = min(near, key=lambda r: (not r.result, len(r.query.unplaced), r.cost), default=None)
    if one is None or one.cost > costs.MOST or not one.result:
        return None
    rivals = [r for r in near if r.result and len(r.query.unplaced) <= len(one.query.unplaced) and _rivals(one, r)]
    return None if rivals and one.cost > costs.LEAD_FROM else one


def _rivals(one: TableReading, other: TableReading) -> bool:
    """Whether another reading says something else with no less of the question and nothing besides."""
    less = len(other.query.where) < len(one.query.where) or (one.query.by is not None and other.query.by is None)
    more = len(other.query.columns) > max(1, len(one.query.columns))
    mine, its = ({fold(r.view.graph.name(v)) for v in r.result.values} for r in (one, other))
    return not (less or more) and (one.result.number != other.result.number or not (mine <= its or its <= mine))


def executed(context: Context, reading: TableReading) -> Executed:
    """The answers of a reading, each with the facts that lead there."""
    most = context.settings.answering.max_answers
    confidence = confidence_in(reading)
    answers, ends = _answers(reading, most, confidence)
    others = reading.result.compared
    routes = [legs_of(reading, row, n) for n, row in enumerate(reading.result.rows[:most])]
    ways = [(r, ends[min(n, len(ends) - 1)]) for n, r in enumerate(routes)]
    ways += [(tuple(_to_value(reading, r, reading.query.by, None)), ()) for r in others] if reading.query.by else []
    evidence = evidence_for(context, ways, relevance=confidence)
    conclusion = uncontested(answers, evidence, computation=_computation(reading))
    steps, equal = steps_of(reading, len(answers)), len(set(reading.result.values))
    ties = (f"which one, as {equal} are equal",) if reading.query.limit == 1 and equal > 1 else ()
    doubts = (*reading.query.unplaced, *ties)
    return Executed(conclusion, steps, confidence, (), "", decided=True, in_doubt=doubts, query=query_of(reading))


def query_of(reading: TableReading) -> Things | Scalar:
    """Return what a reading computes."""
    return table_query(reading.execution, intersected=reading.result.intersected)


def steps_of(reading: TableReading, after: int) -> tuple[Step, ...]:
    """What was done, and what was looked up, unless that is said already. ``after``: how many answers it gave."""
    steps, said = reading.result.steps, words(query_of(reading))
    if steps and steps[-1].text.startswith(f"{said}: "):
        return tuple(steps)
    return *steps, Step("Columns", said, len(reading.result.rows), after)


def confidence_in(reading: TableReading) -> float:
    """What a reading that costs so much is worth, 0 to 1."""
    sure = costs.CONFIDENCE - costs.CONFIDENCE_COST * max(0.0, reading.cost)
    return round(max(costs.CONFIDENCE_LEAST, sure), 4)


def number_answer(number: float, confidence: float) -> AnswerValue:
    """A number that was computed as an answer."""
    whole = number == int(number)
    name = f"{number:.0f}" if whole else repr(round(number, 10))
    return AnswerValue(name, None, f'"{name}"^^xsd:{"integer" if whole else "decimal"}', (), confidence)


def _computation(reading: TableReading) -> str:
    result, graph = reading.result, reading.view.graph
    said = result.computation
    if any(result.said):
        pairs = zip(result.values, result.said, strict=True)
        rows = [", ".join(map(graph.name, (v, *more))) for v, more in pairs][:20]
        said = "; ".join([*rows, *([said] if said else [])])
    return said


def _answers(
    reading: TableReading, most: int, confidence: float
) -> tuple[tuple[AnswerValue, ...], list[tuple[Node, ...]]]:
    result, graph = reading.result, reading.view.graph
    if result.number is not None:
        answer = number_answer(result.number, confidence)
        return (answer,), [(literal_node(answer.value or ""),)]
    values: list[AnswerValue] = []
    ends: list[tuple[Node, ...]] = []
    for place, more in zip(result.values[:most], (result.measures or [""] * len(result.values))[:most], strict=True):
        count = len(graph.ids)
        node = graph.entities[place].node if place < count else literal_node(graph.literals[place - count])
        keys = graph.entities[place].keys if place < count else ()
        said = node.name.replace("T", " ", 1) if _MOMENT.fullmatch(node.name) else node.name
        name = f"{said}: {more}" if more else said
        known = node if place < count and not more else None
        values.append(AnswerValue(name, known, None if place < count else node.key, keys if known else (), confidence))
        ends.append((node,))
    return tuple(values), ends


def legs_of(reading: TableReading, row: int, number: int) -> tuple[Leg, ...]:
    """The facts by which a row is an answer: its value, then how it meets each condition."""
    query, graph, result = reading.query, reading.view.graph, reading.result
    shown = query.group or (query.columns[0] if query.columns else None)
    legs: list[Leg] = []
    if shown is not None:
        end = result.values[number] if number < len(result.values) else None
        legs += _to_value(reading, row, shown, end)
    for condition in query.where:
        if not condition.negated and not condition.count[0]:
            legs += _met(reading, row, condition)
    if query.by is not None:
        legs += _to_value(reading, row, query.by, None)
    return tuple(dict.fromkeys(legs)) or legs_about(graph, row)


def _chain(reading: TableReading, row: int, table: int, ends: Ids) -> tuple[list[Leg], int] | None:
    """The hops from a row to the first of some rows of another table."""
    view, way = reading.view, reading.execution.way(table)
    if way is None or not len(ends):
        return None
    allowed: list[Ids] = [ends]
    for join in reversed(way):
        allowed.append(view.leads(join, allowed[-1], back=True))
    allowed.reverse()
    legs, at = [], row
    for join, good in zip(way, allowed[1:], strict=True):
        here = np.array([at], np.int64)
        steps = (
            (r, np.intersect1d(view.graph.relations[r].columns(join.forward).leads(here), good)) for r in join.relations
        )
        relation, next_ = next(((r, ends) for r, ends in steps if len(ends)), (-1, here[:0]))
        if not len(next_):
            return None
        legs.append(leg_of(view.graph, relation, join.forward, at, int(next_[0])))
        at = int(next_[0])
    return legs, at


def _to_value(reading: TableReading, row: int, column: Column, end: int | None) -> Iterator[Leg]:
    view = reading.view
    if column.table == reading.query.base:
        chained: tuple[list[Leg], int] | None = ([], row)
    elif not len(view.only(reading.query.base, np.array([row], np.int64))):
        chained = ([], row)
    else:
        rows = view.rows(column.table)
        if end is not None and column.relation == NAME:
            rows = np.array([end], np.int64)
        elif end is not None:
            rows = view.only(column.table, view.graph.relations[column.relation].back.leads(np.array([end], np.int64)))
        chained = _chain(reading, row, column.table, rows)
    if chained is None:
        return
    yield from chained[0]
    if column.relation == NAME:
        return
    there = view.graph.relations[column.relation].there
    ends: list[int] = there.leads(np.array([chained[1]], np.int64)).tolist()
    if ends:
        yield leg_of(view.graph, column.relation, True, chained[1], end if end is not None and end in ends else ends[0])


def _met(reading: TableReading, row: int, condition: RowCondition) -> Iterator[Leg]:
    chained = _chain(reading, row, condition.table, reading.execution.meeting_one(condition))
    if condition.table == reading.query.base:
        chained = ([], row)
    if chained is None:
        return
    yield from chained[0]
    column = condition.column
    if column is None or column.relation == NAME:
        return
    there = reading.view.graph.relations[column.relation].there
    ends = there.leads(np.array([chained[1]], np.int64))
    good = np.intersect1d(ends, condition.places) if condition.places is not None else ends
    for end in good[:1].tolist():
        yield leg_of(reading.view.graph, column.relation, True, chained[1], end)
