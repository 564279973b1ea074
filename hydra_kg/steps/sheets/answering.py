"""Answer a question from the only table of a store, read as a sheet, with the facts of the rows that show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from hydra_kg.domain import AnswerValue, Node
from hydra_kg.plan.model import Step
from hydra_kg.plan.words import words
from hydra_kg.steps.answering.literal_paths import literal_node
from hydra_kg.steps.answering.results import uncontested
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.results.evidence import evidence_for
from hydra_kg.steps.operators.results.executed import Executed
from hydra_kg.steps.operators.results.found import Leg
from hydra_kg.steps.own_graphs.own_graph import OwnGraph
from hydra_kg.steps.queries.answering import number_answer
from hydra_kg.steps.queries.file_order import file_order
from hydra_kg.steps.schema.facts import leg_of, legs_about
from hydra_kg.steps.sheets.forms import Form
from hydra_kg.steps.sheets.ranking import RankedForms, rank
from hydra_kg.steps.sheets.sheet import Sheet, make_column, rows_of
from hydra_kg.steps.tables.view import NAME, Column, View, view_of

MOST_ROWS: Final = 400
MOST_COLUMNS: Final = 40
"""Larger tables are not read as sheets: a form would be made for each of their columns and values."""
MOST_SURE: Final = 0.75
"""Confidence in a form that leaves a content word of the question without a place."""
_SHOWN: Final = 20
"""Rows whose facts are shown as evidence."""


@dataclass(frozen=True, slots=True, eq=False)
class GraphSheet:
    """A sheet with the place in the graph of each row and of each column's relation."""

    sheet: Sheet
    view: View
    rows: tuple[int, ...]
    columns: tuple[Column, ...]


def graph_sheet(graph: OwnGraph, context: Context) -> GraphSheet | None:
    """Return the only table of a graph as a sheet; None if there are several, or if it is large."""
    stored = graph.stored or graph
    view = context.once(("tables", stored), lambda: view_of(stored))
    if len(view.tables) != 1 or not 0 < len(view.rows(0)) <= MOST_ROWS or len(view.columns) > MOST_COLUMNS:
        return None
    return context.once(("sheet", stored), lambda: _read_sheet(view, context))


def _read_sheet(view: View, context: Context) -> GraphSheet:
    order = file_order(context, view)(0)
    rows = order if len(order) else view.rows(0)
    named = not (view.tables[0].nameless or view.tables[0].numbered)
    columns = [c for c in view.columns if c.relation != NAME or named]
    made = []
    for column in columns:
        cells = [_cell(view, column, row) for row in rows.tolist()]
        is_name = column.relation == NAME
        made.append(make_column(column.text, ("name",) if is_name else column.words, cells, is_name=is_name))
    return GraphSheet(Sheet(tuple(made), len(rows), bool(len(order))), view, tuple(rows.tolist()), tuple(columns))


def _cell(view: View, column: Column, row: int) -> str:
    if column.relation == NAME:
        return view.graph.name(row)
    ends = view.graph.relations[column.relation].there.leads(np.array([row], np.int64))
    return " / ".join(_name(view.graph, end) for end in ends.tolist())


def _name(graph: OwnGraph, place: int) -> str:
    """Return the name of a node, or the text of a literal without the escapes of N-Triples."""
    count = len(graph.ids)
    return graph.name(place) if place < count else literal_node(graph.literals[place - count]).name


@dataclass(frozen=True, slots=True, eq=False)
class SheetReading:
    """A question read over a sheet."""

    sheet: GraphSheet
    ranked: RankedForms


def read_sheet(graph: OwnGraph, context: Context) -> SheetReading | None:
    """Return the likeliest form of the question over the only table of a graph; None if there is none."""
    sheet = graph_sheet(graph, context)
    ranked = rank(sheet.sheet, context.question) if sheet is not None else None
    return SheetReading(sheet, ranked) if sheet is not None and ranked is not None else None


def executed_sheet(context: Context, reading: SheetReading) -> Executed:
    """Return the answers of the likeliest form with the facts of the rows that show them."""
    form, sheet = reading.ranked.form, reading.sheet
    unplaced = reading.ranked.unplaced
    confidence = round(min(reading.ranked.probability, MOST_SURE if unplaced else 1.0), 4)
    rows = rows_of(form.rows)[:_SHOWN]
    answers, ends = [], []
    for name in form.answers:
        answer, end = _answer(sheet, form, name, confidence)
        answers.append(answer)
        ends.append(end)
    ways = [(_legs(sheet, form, row), ends[min(n, len(ends) - 1)]) for n, row in enumerate(rows)]
    evidence = evidence_for(context, ways, relevance=confidence)
    query = reading.ranked.query
    said = words(query)
    conclusion = uncontested(tuple(answers), evidence, computation=said)
    steps = (Step("Sheet", said, form.rows.bit_count(), len(answers)),)
    return Executed(conclusion, steps, confidence, (), "", decided=True, in_doubt=unplaced, query=query)


def _answer(sheet: GraphSheet, form: Form, name: str, confidence: float) -> tuple[AnswerValue, tuple[Node, ...]]:
    """Return an answer: the entity or the literal of a cell, or a computed number."""
    if form.result not in ("cells", "value", "summed value"):
        answer = number_answer(float(name), confidence)
        return answer, (literal_node(answer.value or ""),)
    graph, column = sheet.view.graph, sheet.columns[form.column]
    cells = sheet.sheet.columns[form.column].cells
    row = sheet.rows[cells.index(name)]
    place = row
    if column.relation != NAME:
        ends = graph.relations[column.relation].there.leads(np.array([row], np.int64)).tolist()
        if len(ends) != 1:
            answer = AnswerValue(name, None, None, (), confidence)
            return answer, ()
        place = ends[0]
    if place < len(graph.ids):
        entity = graph.entities[place]
        return AnswerValue(name, entity.node, None, entity.keys, confidence), (entity.node,)
    node = literal_node(graph.literals[place - len(graph.ids)])
    return AnswerValue(name, None, node.key, (), confidence), (node,)


def _legs(sheet: GraphSheet, form: Form, row: int) -> tuple[Leg, ...]:
    """Return the facts of one row in the columns that a form uses."""
    graph, place, legs = sheet.view.graph, sheet.rows[row], []
    for number in dict.fromkeys((form.column, form.by)):
        relation = sheet.columns[number].relation if number >= 0 else NAME
        if relation != NAME:
            ends = graph.relations[relation].there.leads(np.array([place], np.int64)).tolist()
            legs += [leg_of(graph, relation, True, place, end) for end in ends[:1]]
    return tuple(legs) or legs_about(graph, place)
