"""Collect what every reader of own data makes of a question, and merge readings that have the same result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from hydra_kg.domain import Analysis
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.plan.walk import operators
from hydra_kg.questions.own_data import is_small
from hydra_kg.steps.answering.literal_paths import literal_node
from hydra_kg.steps.composed_queries.table_differences import is_difference, read_difference
from hydra_kg.steps.context import Context
from hydra_kg.steps.executions import Executions
from hydra_kg.steps.operators import execute
from hydra_kg.steps.operators.results.executed_plan import Executed
from hydra_kg.steps.queries.cheapest_query import queries
from hydra_kg.steps.queries.drafting.answer_kinds import echoes, fits_question
from hydra_kg.steps.queries.table_answers import number_answer, table_view
from hydra_kg.steps.queries.table_execution import TableReading, file_order, run_query
from hydra_kg.steps.schema.partial_readings import SchemaReading
from hydra_kg.steps.schema.question_words import SchemaQuestion, asked
from hydra_kg.steps.schema.schema_answers import read_in_own_words
from hydra_kg.steps.schema.schema_matching import Matches, matches
from hydra_kg.steps.schema.schema_search import readings
from hydra_kg.steps.schema.single_fact import read_single_fact
from hydra_kg.steps.sheets.sheet_answers import read_sheet
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.operation_words import tokens
from hydra_kg.steps.tables.single_cells import cell_query
from hydra_kg.text.folding import fold

Proposer = Callable[[], Iterable["Proposal"]]
MOST_PER_READER: Final = 12
"""Distinct results that one reader proposes."""
MOST_NAMES: Final = 60
"""Answers of a result by whose names it is compared with others; of larger ones the number counts too."""


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """One reading of a question by one reader, with the names of its first answers and how many it has.

    `cost` is 0 for a reading without doubt · `detail` is the reader's own object · `places`: the first answers in the
    graph, () for computed ones · `label`: the column or relation that leads to them · `unexplained`: number of content
    words that it leaves out.
    """

    reader: str
    names: tuple[str, ...]
    size: int
    cost: float
    detail: object
    places: tuple[int, ...] = ()
    label: str = ""
    unexplained: int = 0

    @property
    def key(self) -> tuple[object, ...]:
        """Identify the result, whatever reader found it."""
        return self.size, tuple(sorted({fold(name) for name in self.names}))


@dataclass(slots=True, eq=False)
class Candidate:
    """One result with the cheapest proposal of each reader that has it, and the rank that reader gives it."""

    names: tuple[str, ...]
    size: int
    by: dict[str, Proposal] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)


def merge(proposals: Sequence[Proposal]) -> list[Candidate]:
    """Return one candidate per distinct result, in the order in which the results were proposed."""
    found: dict[tuple[object, ...], Candidate] = {}
    ranks: dict[str, int] = {}
    for one in proposals:
        candidate = found.setdefault(one.key, Candidate(one.names, one.size))
        if one.reader not in candidate.by:
            candidate.by[one.reader] = one
            candidate.ranks[one.reader] = ranks.get(one.reader, 0)
            ranks[one.reader] = ranks.get(one.reader, 0) + 1
        elif one.cost < candidate.by[one.reader].cost:
            candidate.by[one.reader] = one
    return list(found.values())


def table_proposals(graph: OwnGraph, context: Context) -> Iterator[Proposal]:
    """Yield the queries over the tables of a graph that find something, cheapest first."""
    view = table_view(graph, context)
    order = file_order(context, view)
    said = tokens(context.question)
    every = queries(view, context.question, context.space.embedder.embed)
    found: list[TableReading] = []
    for query in every[:MOST_PER_READER]:
        reading = run_query(view, query, order)
        if reading.result:
            cost = query.cost + (costs.NONE if reading.result.number == 0 else 0.0)
            cost += costs.ECHO if echoes(view, query, reading.result.values) else 0.0
            found.append(replace(reading, cost=cost))
    for reading in sorted(found, key=lambda r: r.cost):
        yield _of_table("tables", reading)
    if not found or found[0].query.unplaced or min(r.cost for r in found) > costs.LEAD_FROM:
        cell = cell_query(view, said, lambda query: fits_question(view, said, query))
        if cell is not None and (reading := run_query(view, cell, order)).result:
            yield _of_table("cell", reading)


def _of_table(reader: str, reading: TableReading) -> Proposal:
    result, graph = reading.result, reading.view.graph
    left = len(reading.query.unplaced)
    if result.number is not None:
        name = number_answer(result.number, 0.0).name
        return Proposal(reader, (name,), 1, reading.cost, reading, unexplained=left)
    places = result.values[:MOST_NAMES]
    measures = result.measures[:MOST_NAMES] or [""] * len(places)
    names = tuple(f"{_name(graph, p)}: {m}" if m else _name(graph, p) for p, m in zip(places, measures, strict=True))
    shown = reading.query.group or (reading.query.columns[0] if reading.query.columns else None)
    label = shown.text if shown is not None else reading.view.tables[reading.query.base].text
    return Proposal(reader, names, len(set(result.values)), reading.cost, reading, tuple(places), label, left)


def _name(graph: OwnGraph, place: int) -> str:
    count = len(graph.ids)
    return graph.called[place] if place < count else literal_node(graph.literals[place - count]).name


@dataclass(frozen=True, slots=True, eq=False)
class SchemaDetail:
    """A reading in the words of a schema with what its features need."""

    graph: OwnGraph
    question: SchemaQuestion
    matched: Matches
    reading: SchemaReading
    work: Executions


def schema_proposals(graph: OwnGraph, context: Context) -> Iterator[Proposal]:
    """Yield the readings in the words of a graph's schema, cheapest first."""
    question = asked(context.question)
    if question.denies and not graph.tabular:
        yield from _of_executed("denial", read_in_own_words(graph, context))
        return
    space = context.space
    matched, work = matches(graph, question, space.embedder.embed, keep=space.keep), Executions()
    is_single, single = read_single_fact(graph, question, matched, context)
    if is_single:
        yield from _of_executed("fact", single)
        return
    for reading in readings(graph, question, matched, work)[:MOST_PER_READER]:
        nodes = reading.nodes
        numeric = len(nodes) == 1 and not np.isnan(graph.numbers[nodes[0]])
        if question.want == "count" and not numeric:
            names, size, places = (str(len(nodes)),), 1, ()
        else:
            places = tuple(nodes[:MOST_NAMES].tolist())
            names, size = tuple(_name(graph, p) for p in places), len(nodes)
        move = reading.state.move
        label = graph.relations[move.relation].text if move.relation >= 0 and move.forward else ""
        detail = SchemaDetail(graph, question, matched, reading, work)
        left = sum(1 for w in question.words if reading.left >> w.bit & 1 and not w.stop)
        yield Proposal("schema", names, size, reading.total, detail, places, label, left)


def sheet_proposals(graph: OwnGraph, context: Context) -> Iterator[Proposal]:
    """Yield the likeliest answers of a store that is one small table."""
    reading = read_sheet(graph, context)
    for one in reading.ranked.best if reading is not None else ():
        names = tuple(dict.fromkeys(one.form.answers))
        yield Proposal("sheet", names, len(names), 1 - one.probability, (reading, one))


def plan_proposals(context: Context, analysis: Analysis) -> Iterator[Proposal]:
    """Yield what the grammar's plan computes, if it has operators and finds something."""
    plan = analysis.plan
    if plan is None or not operators(plan):
        return
    yield from _of_executed("plan", execute(context, plan))


def _of_executed(reader: str, done: Executed | None) -> Iterator[Proposal]:
    if done is not None and done.conclusion.answers:
        answers = done.conclusion.answers
        yield Proposal(
            reader,
            tuple(a.name for a in answers[:MOST_NAMES]),
            len(answers),
            1 - done.confidence,
            done,
            unexplained=len(done.in_doubt) + len(done.unmet),
        )


def proposers(graph: OwnGraph, context: Context, analysis: Analysis) -> tuple[Sequence[Proposer], Sequence[Proposer]]:
    """Return the readers that are asked first, and those that are asked if no answer of these is nearly certain.

    Over tables these are the table queries and the sheet, then the words of the schema and the plan; over other graphs
    the other way round. A large graph that is not made of tables is not read as tables.
    """
    columns: Sequence[Proposer] = (lambda: column_proposals(graph, context),)
    ways = (lambda: schema_proposals(graph, context), lambda: plan_proposals(context, analysis))
    if graph.tabular:
        return columns, ways
    return ways, columns if is_read_as_tables(graph) else ()


def is_read_as_tables(graph: OwnGraph) -> bool:
    """Return False for a large graph that is not made of tables."""
    return graph.tabular or is_small(graph)


def column_proposals(graph: OwnGraph, context: Context) -> Iterator[Proposal]:
    """Yield differences where the question asks for one, else table queries; and forms of the sheet."""
    question = context.question
    if is_difference(question):
        yield from _of_executed("composed", read_difference(graph, context))
        yield from sheet_proposals(graph, context)
        return
    found = list(table_proposals(graph, context))
    yield from found
    if not any(isinstance(p.detail, TableReading) and p.detail.query.holds_today for p in found):
        yield from sheet_proposals(graph, context)  # a sheet does not know what holds today
