"""Answer a question from the only table of a store, read as a sheet, with the facts of the rows that show it."""

from __future__ import annotations

from typing import Final

import numpy as np

from hydra_kg.domain import AnswerValue, Node
from hydra_kg.execution.evidence_hops import Leg, leg_of, legs_about
from hydra_kg.execution.own_graph import BETWEEN_VALUES, OwnGraph
from hydra_kg.plan.model import Step
from hydra_kg.plan.query_wording import words
from hydra_kg.steps.answering.literal_paths import literal_node
from hydra_kg.steps.answering.results import uncontested
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.results.executed_plan import Executed, evidence_for
from hydra_kg.steps.queries.table_answers import number_answer, table_view
from hydra_kg.steps.queries.table_execution import file_order
from hydra_kg.steps.sheets.form_ranking import RankedAnswer, RankedForms, rank
from hydra_kg.steps.sheets.logical_forms import Form
from hydra_kg.steps.sheets.reading_decision import QueryAnswer, decide
from hydra_kg.steps.sheets.sheet import Sheet, make_column, rows_of
from hydra_kg.steps.tables.graph_tables import NAME, Column, View
from hydra_kg.steps.tables.operation_words import asks_rank
from hydra_kg.util.fast_dataclass import dataclass, replace

MOST_ROWS: Final = 400
MOST_COLUMNS: Final = 40
"""Larger tables are not read as sheets: a form would be made for each of their columns and values."""
GIVEN_FROM: Final = 0.52
"""Probability from which an answer is given: at most 8 % of the questions of tables left out are answered wrong, and
6 % of those whose table lacks the column of the answer."""
SURE_FROM: Final = 0.85
"""Probability of sure answers; results on held-out tables are in ``bench/results/sheets.md``."""
QUERY_FROM: Final = 0.35
"""The same for a query that leaves nothing of the question out: the fit has seen dirty tables only."""
QUERY_SURE: Final = 0.8
"""Confidence from which such a query is always given: the fit has seen no short tables of things."""
NOT_SURE: Final = 0.79
"""Most confidence of an answer that is not called sure."""
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
    view = table_view(stored, context)
    if len(view.tables) != 1 or not 0 < len(view.rows(0)) <= MOST_ROWS or len(view.columns) > MOST_COLUMNS:
        return None
    return context.once(("sheet", stored), lambda: _read_sheet(view, context))


def _read_sheet(view: View, context: Context) -> GraphSheet:
    order = file_order(context, view)(view.rows(0))
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
    return BETWEEN_VALUES.join(_name(view.graph, end) for end in ends.tolist())


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
    ranked = rank(sheet.sheet, context.question, context.space.embedder.embed) if sheet is not None else None
    return SheetReading(sheet, ranked) if sheet is not None and ranked is not None else None


def weigh_sheet(
    context: Context, done: Executed | None, reading: SheetReading, *, kind: str = "", unknown: bool = False
) -> Executed | None:
    """Return the more probable answer of the query and the sheet, or None; a weaker answer of the query is unsure.

    `kind` is "cell", "count" and so on. `unknown` is True if a name is missing.
    """
    query = query_answer(done, kind=kind, unknown=unknown)
    if unknown:
        return done if query is not None else None
    found = decide(reading.ranked, query)
    chosen, probability = found[0]
    if probability < GIVEN_FROM or not chosen.is_able:
        own = next((p for one, p in found if one.is_query), 0.0)
        is_whole = query is not None and not query.in_doubt
        is_list = query is not None and len(query.names) >= reading.sheet.sheet.size
        is_likely = query is not None and (query.confidence >= QUERY_SURE or (own >= QUERY_FROM and not is_list))
        return _unsure(done) if kind == "cell" or (is_whole and is_likely) else None
    is_partial = chosen.is_query and kind != "cell" and query is not None and bool(query.in_doubt)
    is_sure = probability >= SURE_FROM and not is_partial  # of such queries 57 % are right
    confidence = round(probability if is_sure else min(probability, NOT_SURE), 4)
    if chosen.ranked is not None and not chosen.is_query:
        if asks_rank(reading.ranked.features.question.words) and not chosen.ranked.form.step.startswith("nth"):
            return None
        return executed_sheet(context, reading.sheet, chosen.ranked, confidence)
    if done is None:
        return None
    answers = tuple(replace(a, score=confidence) for a in done.conclusion.answers)
    in_doubt = () if is_sure else done.in_doubt
    return replace(done, conclusion=replace(done.conclusion, answers=answers), confidence=confidence, in_doubt=in_doubt)


def _unsure(done: Executed | None) -> Executed | None:
    return None if done is None else replace(done, confidence=min(done.confidence, NOT_SURE))


def query_answer(done: Executed | None, *, kind: str = "", unknown: bool = False) -> QueryAnswer | None:
    """Return what the decision needs of the answer of a table query; None if it has none."""
    if done is None or not done.conclusion.answers:
        return None
    names = tuple(a.name for a in done.conclusion.answers)
    return QueryAnswer(names, done.confidence, kind, done.in_doubt, unknown)


def executed_sheet(context: Context, sheet: GraphSheet, ranked: RankedAnswer, confidence: float) -> Executed:
    """Return the answers of a form with the facts of the rows that show them."""
    form = ranked.form
    rows = rows_of(form.rows)[:_SHOWN]
    answers, ends = [], []
    for name in form.answers:
        answer, end = _answer(context, sheet, form, name, confidence)
        answers.append(answer)
        ends.append(end)
    ways = [(_legs(sheet, form, row), ends[min(n, len(ends) - 1)]) for n, row in enumerate(rows)]
    evidence = evidence_for(context, ways, relevance=confidence)
    query = ranked.query
    said = words(query)
    conclusion = uncontested(tuple(answers), evidence, computation=said)
    steps = (Step("Sheet", said, form.rows.bit_count(), len(answers)),)
    in_doubt = () if confidence >= SURE_FROM else ranked.unplaced
    return Executed(conclusion, steps, confidence, (), "", decided=True, in_doubt=in_doubt, query=query)


def _answer(
    context: Context, sheet: GraphSheet, form: Form, name: str, confidence: float
) -> tuple[AnswerValue, tuple[Node, ...]]:
    """Return an answer: the entity or the literal of a cell, or a computed number."""
    if form.result.endswith("heading"):
        return AnswerValue(name, None, None, (), confidence), ()
    if form.result not in ("cells", "two cells", "value", "summed value"):
        answer = number_answer(float(name), confidence)
        return answer, (literal_node(answer.value or ""),)
    number = form.by if form.result == "two cells" and name != form.answers[0] else form.column
    graph, column = sheet.view.graph, sheet.columns[number]
    cells = sheet.sheet.columns[number].cells
    row = sheet.rows[cells.index(name)]
    place = row
    if column.relation != NAME:
        ends = graph.relations[column.relation].there.leads(np.array([row], np.int64)).tolist()
        if len(ends) != 1:
            answer = AnswerValue(name, None, None, (), confidence)
            return answer, ()
        place = ends[0]
    if place < len(graph.ids):
        entity = graph.things([place], context.stored.entities)[place]
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
