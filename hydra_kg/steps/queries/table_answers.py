"""A question read as a query over the tables of a store: answers, with the facts that lead to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from hydra_kg.domain import AnswerTable, AnswerValue, Node
from hydra_kg.execution.evidence_hops import Leg
from hydra_kg.execution.graph_columns import NO_VALUE, no_order
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.language.morphology import singular
from hydra_kg.plan.model import Step
from hydra_kg.plan.query_wording import words
from hydra_kg.steps.answering.literal_paths import literal_node
from hydra_kg.steps.answering.results import uncontested
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.results.executed_plan import Executed, evidence_for
from hydra_kg.steps.queries.cheapest_query import queries
from hydra_kg.steps.queries.drafting.answer_kinds import doubt_of_meaning, echoes, fits_question, passes_over_a_top
from hydra_kg.steps.queries.durations import with_durations
from hydra_kg.steps.queries.row_totals import with_row_totals
from hydra_kg.steps.queries.table_execution import Order, TableReading, file_order, filter_steps, run_query
from hydra_kg.steps.schema.answer_class import AskedClass
from hydra_kg.steps.schema.question_words import WHETHER, asked
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.graph_tables import View, view_of, with_column_pairs
from hydra_kg.steps.tables.operation_words import QueryToken, is_superlative, tokens
from hydra_kg.steps.tables.row_labels import row_label
from hydra_kg.steps.tables.single_cells import cell_query
from hydra_kg.steps.tables.table_query import FUNCTIONS, TableQuery
from hydra_kg.steps.tables.time_columns import PARTS, with_date_parts
from hydra_kg.text.folding import fold

_NAMED: Final = 3
"""Rows that a reason names."""
_CALLED: Final = 3
"""Rows that a name in a question means at most, unless it is only a word of many names."""
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


def read_tables(graph: OwnGraph, context: Context) -> TableReading | None:
    """Return the cheapest query that finds something or asks for a missing value, or None if none fits the question."""
    return None if WHETHER.match(context.question) else read_question(graph, context, context.question)


def read_question(graph: OwnGraph, context: Context, question: str) -> TableReading | None:
    """Return the cheapest query for a question; its result is empty if it asks for a value that no row states."""
    said = tokens(question)
    view = with_date_parts(table_view(graph, context), said)
    view = with_row_totals(with_durations(with_column_pairs(view, [word.low for word in said]), said), said)
    order = file_order(context, view)
    wanted = AskedClass(view.graph, asked(question))

    def fits(reading: TableReading) -> bool:
        values = np.array(reading.result.values, np.int64)
        return not (passes_over_a_top(said, reading.query, len(values)) or wanted.excludes(values))

    question = _in_full(view, said, question)
    reading = best(view, queries(view, question, context.space.embedder.embed), order, fits, said)
    if reading is not None and not reading.query.unplaced and (reading.cost <= costs.LEAD_FROM or not reading.result):
        return reading
    cell = cell_query(view, said, lambda query: fits_question(view, said, query))
    found = best(view, [cell], order, fits) if cell is not None else None
    return found if found is not None and (reading is None or found.cost < reading.cost) else reading


def _in_full(view: View, words: Sequence[QueryToken], question: str) -> str:
    """Return a question with "how many … per month", if it only says what is counted: "monthly trips of the Aurora"."""
    lows = [singular(word.low) for word in words if not word.mark]
    part = next((part for part in PARTS if lows[:1] == [f"{part}ly"]), "")
    if part and lows[1:2] and lows[1] in view.spoken:
        return f"how many {question.split(None, 1)[1].rstrip('?. ')} per {part}"
    return question


def table_view(graph: OwnGraph, context: Context) -> View:
    """Return the tables of a graph, computed once per graph; names that mean one thing alone are those of `graph`."""
    stored = graph.stored or graph
    view = context.once(("tables", stored), lambda: view_of(stored))
    return view if view.graph is graph else replace(view, graph=graph)


def best(
    view: View,
    readings: Sequence[TableQuery],
    order: Order = no_order,
    fits: Callable[[TableReading], bool] = lambda _: True,
    words: Sequence[QueryToken] = (),
) -> TableReading | None:
    """Return the cheapest query, those without a result last; None if all are too dear, or a dear one has a rival.

    A query for a value that no row states is returned if it is cheaper than all with a result, and sure.
    ``fits`` tells whether the result of a query is of the type that is asked for; other queries are passed over.
    ``words`` are those of the question.
    """
    found: list[TableReading] = []
    for query in readings[: costs.EXECUTED]:
        if found and query.cost > min(r.cost for r in found) + costs.LEAD:
            break
        reading = run_query(view, query, order)
        if not fits(reading):
            continue
        result = reading.result
        if query.listed and len(result.rows) < query.limit:  # which three: there are no more
            query.cost, query.structure = query.cost - costs.FIRST_LISTED, query.structure - costs.FIRST_LISTED
        cost = query.cost + (0.0 if result else costs.EMPTY) + (costs.NONE if result.number == 0 else 0.0)
        cost += costs.ECHO if echoes(view, query, result.values) else 0.0
        found.append(replace(reading, cost=cost))
    if (nobody := _meets_not_both(found, words)) is not None:
        return nobody
    if (lacking := _without_value(found, order)) is not None:
        return lacking if lacking.query.cost <= costs.MISSING_MOST and not lacking.query.unplaced else None
    if (none := _counts_none(found)) is not None:
        return none
    least = min((r.cost for r in found), default=0.0)
    near = [r for r in found if r.cost < least + costs.LEAD]
    one = min(near, key=lambda r: (not r.result, len(r.query.unplaced), r.cost), default=None)
    if one is None or one.cost > _most(one, words) or not one.result or any(_stands_in(one, r) for r in found):
        return None
    rivals = [r for r in near if r.result and len(r.query.unplaced) <= len(one.query.unplaced) and _rivals(one, r)]
    if rivals and one.cost > costs.LEAD_FROM:
        return None
    return _that_says_all(view, one, readings, order) if one.query.unplaced else one


def _that_says_all(view: View, one: TableReading, readings: Sequence[TableQuery], order: Order) -> TableReading:
    """Return the reading with the same answers that leaves no word out, or `one`: who *borrowed* it, of loans.

    A verb is cheaper to pass over than a column that is only near to it.
    """
    for query in readings[: costs.EXECUTED]:
        near = one.query.cost < query.cost <= one.query.cost + costs.SIMILAR_COLUMN
        alike = (query.do, query.columns) == (one.query.do, one.query.columns)
        if near and alike and not query.unplaced:
            other = run_query(view, query, order)
            if (other.result.values, other.result.number) == (one.result.values, one.result.number):
                return replace(other, cost=query.cost)
    return one


def _most(reading: TableReading, words: Sequence[QueryToken]) -> float:
    """Return the cost beyond which a reading is no answer: more if only the words of a long question make it dear."""
    query, left = reading.query, {word.casefold() for word in reading.query.unplaced}
    chooses = query.do != "list" or query.limit or any(map(is_superlative, left))
    named = (c.places for c in query.where if c.column is not None and c.column.relation < 0)
    vague = any(rows is not None and len(rows) > _CALLED for rows in named)  # all films with "Under" in their title
    graph = reading.view.graph
    if not (graph.tabular or graph.typed) or query.structure > costs.STRUCTURE_MOST or vague:
        return costs.MOST
    if left and (chooses or left & {w.low for w in words[:2]}):
        return costs.MOST  # numbers and first places do not show what they leave out; "which fruit" asks for no orchard
    return costs.MOST_FITTING if left else costs.MOST_COMPLETE


def _without_value(found: Sequence[TableReading], order: Order) -> TableReading | None:
    """Return the reading of a value that no row states, if it is cheaper than all with a result and leaves no more out.

    The price of a boat without a price is neither that of its owner's other boat nor the cost of its repair.
    """
    some = [r for r in found if r.result]
    if found and _is_surely_empty(found[0], some):
        return found[0]
    for one in found:
        query = one.query
        named = any(c.places is not None and not c.negated for c in query.where) or query.limit == 1
        if one.result or not named or query.group is not None or not query.columns or query.columns[0].relation < 0:
            continue
        cheaper = all(query.cost < r.query.cost and len(query.unplaced) <= len(r.query.unplaced) for r in some)
        if query.do in ("list", *FUNCTIONS) and cheaper and _rows_of(one, order):
            return one
    return None


def _is_surely_empty(one: TableReading, others: Sequence[TableReading]) -> bool:
    """Return True if no row meets what a question clearly states: issues that are assigned to somebody without any."""
    query = one.query
    where = [c for c in query.where if not (c.negated and c.column is not None and c.column.relation < 0)]
    states = query.do == "list" and query.group is None and all(c.column and not c.negated for c in where)
    named = [c.table for c in query.where if c.table != query.base and c.column is not None and c.column.relation < 0]
    apart = len(named) == len(set(named))  # two people of a film may have two relations to it
    sure = states and apart and query.where and not query.unplaced and query.cost <= costs.NO_ROWS_MOST
    return bool(sure and not one.result) and all(r.cost >= query.cost + costs.NO_ROWS_MOST for r in others)


def _counts_none(found: Sequence[TableReading]) -> TableReading | None:
    """Return the cheapest reading if it counts 0 with every word in its place, and all that count more leave some out.

    No customer from Gouda ordered a chair, although there is one customer from Gouda.
    """
    one = found[0] if found and _is_none(found[0]) else None
    if one is None or any(not r.query.unplaced for r in found if r.result and r.result.number != 0):
        return None
    cost = one.query.cost + costs.NONE_COMPLETE
    return replace(one, cost=cost) if cost <= costs.MOST else None


def _is_none(reading: TableReading) -> bool:
    """Return True if a reading counts 0 by several conditions, none of them on texts, and leaves no word out."""
    query = reading.query
    counts = query.do == "count" and reading.result.number == 0 and query.group is None
    return counts and not query.unplaced and len(query.where) > 1 and not any(c.like[0] for c in query.where)


def _meets_not_both(found: Sequence[TableReading], words: Sequence[QueryToken]) -> TableReading | None:
    """Return the reading of things that meet several conditions on one column, if none does: a lemur and a tiger."""
    alone = [r for r in found if len(r.query.where) > 1 and all(c.alone and not c.negated for c in r.query.where)]
    alone = [r for r in alone if _are_listed(words, [c.at for c in r.query.where])]
    fits = [r for r in alone if not r.query.unplaced and r.cost <= costs.MOST + costs.EMPTY and r.query.do == "list"]
    if not fits or any(r.result and (r in alone or not r.query.unplaced) for r in found):
        return None
    return min(fits, key=lambda r: (bool(r.query.columns), r.cost))


def _are_listed(words: Sequence[QueryToken], starts: Sequence[int]) -> bool:
    """Return True if "and" stands before all but the first of some values, directly or before an article."""
    return all("and" in [w.low for w in words[max(0, at - 2) : at]] for at in sorted(starts)[1:])


def _rows_of(reading: TableReading, order: Order) -> list[int]:
    """Return the rows that a query is about, whether or not they have a value in the column that it shows."""
    return run_query(reading.view, replace(reading.query, do="list", columns=[]), order).result.rows


def explain_missing(reading: TableReading, order: Order = no_order) -> str:
    """Return why a reading has no result: no row that it is about has a value in the column."""
    query, view = reading.query, reading.view
    rows = _rows_of(reading, order)
    if not rows:
        return f"the data have no {words(reading.tree)}"
    names = [row_label(view, row) for row in rows[:_NAMED]]
    rest = f" and {len(rows) - _NAMED} more" if len(rows) > _NAMED else ""
    whose = ", ".join(names) or view.tables[query.base].text
    return f"no value is stated for “{query.columns[0].text}” of {whose}{rest}"


def _stands_in(one: TableReading, other: TableReading) -> bool:
    """Return True if a reading only has a result because of a column that a cheaper one, without result, lacks."""
    alike = [(c.text, c.at) for c in other.query.where] == [(c.text, c.at) for c in one.query.where]
    cheaper = not other.result and other.query.cost < one.query.cost
    return alike and cheaper and set(other.query.columns) < set(one.query.columns)


def _rivals(one: TableReading, other: TableReading) -> bool:
    """Return True if another reading says something else, leaves no more of the question out, and adds nothing."""
    less = len(other.query.where) < len(one.query.where) or (one.query.by is not None and other.query.by is None)
    more = len(other.query.columns) > max(1, len(one.query.columns))
    if one.query.do in FUNCTIONS and other.query.do == "list":
        return False  # the total of the payments, next to the payments
    if _shows_keys_of(one, other):
        return False
    mine, its = ({fold(r.view.graph.name(v)) for v in r.result.values} for r in (one, other))
    return not (less or more) and (one.result.number != other.result.number or not (mine <= its or its <= mine))


def _shows_keys_of(one: TableReading, other: TableReading) -> bool:
    """Return True if another reading shows the keys of rows that the first shows: K02, of the piece Tall Vase."""
    table, shown = one.view.tables[one.query.base], next(iter(other.query.columns), None)
    if one.query.columns or shown is None or shown.table != table.place or shown.words not in table.names:
        return False
    keyed = one.view.graph.relations[shown.relation].back.leads(np.unique(other.result.values))
    return {*one.view.only(table.place, keyed).tolist()} == {*one.result.rows}


def executed(context: Context, reading: TableReading) -> Executed:
    """Return the answers of a reading, each with the facts that lead there."""
    most = context.settings.answering.max_answers
    confidence = confidence_in(reading)
    answers, ends = _answers(context, reading, most, confidence)
    others, provenance = reading.result.compared, reading.provenance
    shown = _without_last(reading) if _is_none(reading) and not reading.result.rows else reading
    routes = [legs_of(shown, row, n) for n, row in enumerate(shown.result.rows[:most])]
    ways = [(r, ends[min(n, len(ends) - 1)]) for n, r in enumerate(routes)]
    ways += [(provenance.order_legs(row), ()) for row in others]
    evidence = evidence_for(context, ways, relevance=confidence)
    conclusion = uncontested(answers, evidence, computation=_computation(reading))
    conclusion = replace(conclusion, table=_table(reading, most))
    steps, values, rows = steps_of(reading, len(answers)), {*reading.result.values}, {*reading.result.rows}
    equal = min(len(values), len(rows or values))  # two hosts of one show are no tie, nor are two shows of one host
    ties = (f"which one, as {equal} are equal",) if reading.query.limit == 1 and equal > 1 else ()
    meant = doubt_of_meaning(reading.view, tokens(context.question), reading.query)
    unclear = (*ties, meant) if meant else ties
    left = reading.query.unplaced
    return Executed(conclusion, steps, confidence, decided=True, in_doubt=left, query=reading.tree, repeated=unclear)


def _without_last(reading: TableReading) -> TableReading:
    """Return the rows that the last conditions of a query exclude, as the evidence of a count of none."""
    query, order = reading.query, reading.provenance.facts.order
    for end in range(len(query.where) - 1, -1, -1):
        others = run_query(reading.view, replace(query, do="list", columns=[], where=query.where[:end]), order)
        if others.result.rows:
            return others
    return reading


def steps_of(reading: TableReading, after: int) -> tuple[Step, ...]:
    """Return what was done, and what was looked up unless the steps say it already.

    ``after`` is the number of answers that it gave.
    """
    steps = filter_steps(reading) + reading.result.steps
    said = words(reading.tree)
    if steps and steps[-1].text.startswith(f"{said}: "):
        return tuple(steps)
    missing = reading.result.missing if reading.query.group is not None else 0
    said = f"{said}; {missing} without one" if missing else said
    return *steps, Step("Columns", said, len(reading.result.rows), after)


def confidence_in(reading: TableReading) -> float:
    """Return what a reading that costs so much is worth, 0 to 1."""
    sure = costs.CONFIDENCE - costs.CONFIDENCE_COST * max(0.0, reading.cost)
    return round(max(costs.CONFIDENCE_LEAST, sure), 4)


def number_answer(number: float, confidence: float) -> AnswerValue:
    """Return a number that was computed as an answer."""
    whole = number == int(number)
    name = f"{number:.0f}" if whole else repr(round(number, 10))
    return AnswerValue(name, None, f'"{name}"^^xsd:{"integer" if whole else "decimal"}', (), confidence)


def _computation(reading: TableReading) -> str:
    result, view = reading.result, reading.view
    said = result.computation
    if any(result.said):
        pairs = zip(result.values, result.said, strict=True)
        rows = [", ".join(row_label(view, p) for p in (v, *more) if p != NO_VALUE) for v, more in pairs][:20]
        said = "; ".join([*rows, *([said] if said else [])])
    return said


def _table(reading: TableReading, most: int) -> AnswerTable | None:
    """Return all columns of a query that shows several, or the groups with their values; None for other queries."""
    result, query, view = reading.result, reading.query, reading.view
    first = query.group or (query.columns[0] if query.columns else view.name_of(query.base))
    heading = view.tables[first.table].text if first.relation < 0 else first.text
    name = partial(row_label, view)
    if query.group is not None and result.measures:
        measured = " of ".join([FUNCTIONS.get(query.do, "count"), *(c.text for c in query.columns[:1])])
        rows = zip(map(name, result.values[:most]), result.measures, strict=False)
        return AnswerTable((heading, measured), tuple(rows))
    if not result.table:
        return None
    shown = tuple(tuple("" if p == NO_VALUE else name(p) for p in row) for row in result.table[:most])
    return AnswerTable((heading, *(c.text for c in query.columns[1:])), shown)


def _answers(
    context: Context, reading: TableReading, most: int, confidence: float
) -> tuple[tuple[AnswerValue, ...], list[tuple[Node, ...]]]:
    result, graph = reading.result, reading.view.graph
    if result.number is not None:
        answer = number_answer(result.number, confidence)
        return (answer,), [(literal_node(answer.value or ""),)]
    values: list[AnswerValue] = []
    ends: list[tuple[Node, ...]] = []
    things = graph.things(result.values[:most], context.stored.entities)
    shown = result.measures if not reading.query.bound[0] else []  # which of them are within it
    for place, more in zip(result.values[:most], (shown or [""] * len(result.values))[:most], strict=True):
        count = len(graph.ids)
        node = things[place].node if place < count else literal_node(graph.literals[place - count])
        keys = things[place].keys if place < count else ()
        said = row_label(reading.view, place) if place < count else node.name
        said = said.replace("T", " ", 1) if _MOMENT.fullmatch(said) else said
        name = f"{said}: {more}" if more else said
        known = node if place < count and not more else None
        values.append(AnswerValue(name, known, None if place < count else node.key, keys if known else (), confidence))
        ends.append((node,))
    return tuple(values), ends


def legs_of(reading: TableReading, row: int, number: int) -> tuple[Leg, ...]:
    """Return the facts that make a row an answer: its value, then how it meets each condition."""
    values = reading.result.values
    return reading.provenance.legs(row, values[number] if number < len(values) else None)
