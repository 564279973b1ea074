"""Decide whether a statement about one row of a table is true: "Did Tom Reed compose Salt?", "… before Dusk?"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from hydra_kg.domain import AnswerValue, Ids
from hydra_kg.execution.graph_columns import NO_PLACES, Denotation, FactSource
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.execution.provenance import Provenance
from hydra_kg.extract.word_classes import DO, HAVE
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import singular
from hydra_kg.language.tokens import fold_words
from hydra_kg.plan.model import Among, Count, Some, Step, Things, Untrue
from hydra_kg.steps.answering.literal_paths import literal_node
from hydra_kg.steps.answering.results import uncontested
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.results.executed_plan import Executed, evidence_for
from hydra_kg.steps.own_graphs.relation_roles import plain_question, turns_round
from hydra_kg.steps.queries.cheapest_query import queries
from hydra_kg.steps.queries.drafting.answer_kinds import asked_tables
from hydra_kg.steps.queries.drafting.comparable_columns import interval
from hydra_kg.steps.queries.table_answers import confidence_in, executed, legs_of, table_view
from hydra_kg.steps.queries.table_execution import TableReading, meeting, run_query
from hydra_kg.steps.queries.to_query import TableTranslation
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.graph_tables import NAME, Column, View
from hydra_kg.steps.tables.operation_words import cues
from hydra_kg.steps.tables.operation_words import tokens as words_of
from hydra_kg.steps.tables.row_labels import row_label
from hydra_kg.steps.tables.table_query import RowCondition, TableQuery
from hydra_kg.text.articles import ARTICLES
from hydra_kg.text.folding import fold, tokens

_ONLY: Final = list_words("limiting")
_CALLED: Final = list_words("named")
_NO: Final = list_words("no_or_not")
_VERB_NEAR: Final = 0.4
"""Cosine from which a verb says what an event states: write, letter .56; pay, letter .31."""


def read_truth(graph: OwnGraph, context: Context) -> Executed | None:
    """Return yes or no for a value of a named row, whose own table has all conditions, or for "is there …"; else None.

    If the row lacks the value, and a relation that the question names should have it, the result says so. "Only" is
    about other rows too, so that such a statement is not decided here.
    """
    spoken = tokens(context.question)
    if not _ONLY.isdisjoint(spoken) or ("same" in spoken and "as" not in spoken):
        return None  # were two paintings painted in the same year: not decided by one row
    view = table_view(graph, context)
    asks_existence = spoken[1:2] == ["there"] and _NO.isdisjoint(spoken[2:3])
    question, bound = _split_bound(context.question) if asks_existence else (context.question, None)
    readings = queries(view, question, context.space.embedder.embed)
    if asks_existence and ((there := _read_existence(view, context, readings, bound)) is not None or bound is not None):
        return there
    lacking = ""
    for query in readings:
        query.where = [_by_reference(view, query, c) for c in query.where]
        named = [c for c in query.where if _is_name(query, c)]
        others = [c for c in query.where if c not in named]
        cost = query.cost - costs.ECHO - costs.NOTHING_SHOWN * query.shows_nothing
        event = not named and len(others) > 1 and view.has_events(query.base)
        if event and all(len(meeting(view, query.base, [c])) for c in others):
            named, others = others[:1], others[1:]  # did Ada rent the drill: a rental by Ada of the drill
        if query.unplaced and not (event and spoken[0] in DO | HAVE and _is_said_by(view, query, context)):
            continue
        if query.either or query.do != "list" or query.columns[1:] or len(named) != 1 or not others:
            continue
        cost += costs.SIMILAR_TABLE * bool(query.unplaced)
        every = [*named, *others] if event else others
        if cost > costs.MOST or query.limit or query.group is not None or not all(_is_value(query, c) for c in every):
            continue
        facts = FactSource(view.graph, view.within)
        rows = meeting(view, query.base, named)
        if len({view.graph.name(row) for row in rows.tolist()}) > 1 and not event:
            continue  # other things whose names share a word
        if any(_is_turned_round(context.question, facts, row, c) for c in others for row in rows[:1].tolist()):
            continue
        stated = [r for r in rows.tolist() if all(len(_values(facts, c.column, r)) for c in others)]
        if not stated:
            said = others[0].column
            if said is not None and said.relation in query.prefer and len(rows) and not lacking:
                lacking = f"no value is stated for “{said.text}” of {row_label(view, rows[0])}"
            continue
        good = np.intersect1d(stated, meeting(view, query.base, others)).tolist()
        row = (good or stated)[0]
        asked = Among(_rows_that(query, named, view), _rows_that(query, others, view))
        query.columns = [] if good else [c for c in (others[0].column,) if c is not None]
        found = Denotation([row if good else int(_values(facts, others[0].column, row)[0])], rows=[row])
        tree = TableTranslation(view, query).root()
        reading = TableReading(view, query, tree, Provenance(facts, tree), found, cost)
        return _executed(context, reading, asked, is_true=bool(good))
    return Executed(reason=lacking, decided=True) if lacking else None


def read_absence(graph: OwnGraph, context: Context) -> Executed | None:
    """Return "no" for "Is there a mill called Harl?" if no name has all those words; None for other questions."""
    said = [w for w in words_of(context.question) if not w.mark]
    at = next((k for k, w in enumerate(said) if w.low in _CALLED), len(said))
    name, view = [w.text for w in said[at + 1 :]], table_view(graph, context)
    noun = tuple(singular(w.low) for w in said[2:at] if w.low not in ARTICLES)
    place = next((t.place for t in view.tables if noun in t.names and not t.nameless), -1)
    parts = [singular(part) for word in name for part in fold_words(word)]
    if [w.low for w in said[1:2]] != ["there"] or place < 0 or not parts or len(graph.tokens.find_all(parts)):
        return None
    called = RowCondition(place, view.name_of(place), like=("contains", " ".join(name)))
    reading = run_query(view, TableQuery(place, "count", where=[called], cost=costs.NONE))
    done, things = executed(context, reading), TableTranslation(view, reading.query).rows()
    answer = _truth(is_true=False, confidence=done.confidence)
    return replace(done, conclusion=replace(done.conclusion, answers=(answer,)), query=Some(things))


def _split_bound(question: str) -> tuple[str, tuple[str, int] | None]:
    """Return "are there …" without the number that it compares with, and that: "more than two" is (">", 2)."""
    said = words_of(question)
    compared = (c for c in cues(said) if c.start == 2 and c.say == "compare" and not c.measures and c.value != "=")
    cue = next(compared, None)
    number = said[cue.end].number if cue is not None and cue.end < len(said) else None
    if cue is None or number is None or number != int(number):
        return question, None
    return " ".join(w.text for w in (*said[:2], *said[cue.end + 1 :])), (cue.value, int(number))


def _there_are(things: Things, bound: tuple[str, int] | None) -> Some | Untrue:
    """Return the plan whether there are such things, or as many as a comparison says."""
    how, number = bound or (">=", 1)
    least = Some(things, number + (how in (">", "<=")))
    return Untrue(least) if how in ("<", "<=") else least


def _read_existence(
    view: View, context: Context, readings: Sequence[TableQuery], bound: tuple[str, int] | None
) -> Executed | None:
    """Return whether a table has rows that meet all conditions: "Is there a mill called Harl?"; else None.

    ``bound`` compares their number: more than two mills.
    """
    called = not _CALLED.isdisjoint(tokens(context.question))
    asked = [table.place for table in asked_tables(view, context.question)]
    for query in readings:
        if query.cost > costs.MOST:
            break
        if called and not any(_is_name(query, c) and _is_said(view, c, context.question) for c in query.where):
            continue  # is there a mill called Ann: not Ann Brook, nor one that Ann owns
        if query.do != "list" or query.columns[bound is not None :] or query.unplaced or query.limit:
            continue
        if not (query.where or query.either or (bound and query.is_unrestricted)):
            continue
        if any(c.kind not in ("text", "link") for c in query.columns):
            continue  # are there more than 100 guests, of a column of numbers
        if asked and query.base not in asked:
            continue  # are there employees from Norway: not orders with an employee
        reading = run_query(view, replace(query, do="count"))
        if not reading.result.number and query.cost > costs.NO_ROWS_MOST:
            break
        done = executed(context, reading)
        how, least = bound or (">=", 1)
        low, high = interval(how, least, None, whole=True)
        answer = _truth(is_true=low <= (reading.result.number or 0) <= high, confidence=done.confidence)
        conclusion = replace(done.conclusion, answers=(answer,))
        things = reading.tree.of if isinstance(reading.tree, Count) else TableTranslation(view, query).rows()
        return replace(done, conclusion=conclusion, query=_there_are(things, bound))
    return None


def _is_name(query: TableQuery, condition: RowCondition) -> bool:
    column = condition.column
    return column is not None and column.relation < 0 and column.table == query.base and not condition.negated


def _is_said(view: View, condition: RowCondition, question: str) -> bool:
    places = condition.places if condition.places is not None else NO_PLACES
    return any(f" {fold(view.graph.name(place))} " in f" {fold(question)} " for place in places.tolist())


def _is_value(query: TableQuery, condition: RowCondition) -> bool:
    """Return True for a value or a bound of a column of the base: painted by Wynn, started before Reed."""
    column = condition.column
    states = condition.places is not None or np.isfinite(condition.low) or np.isfinite(condition.high)
    own = column is not None and column.table == query.base and column.relation >= 0
    return bool(states) and not condition.negated and own


def _is_said_by(view: View, query: TableQuery, context: Context) -> bool:
    """Return True if the only word left over is near to what rows are called: did A *write* to B, of letters."""
    words = context.space.embedder.embed([view.tables[query.base].text, *query.unplaced])
    return len(words) == 2 and float(words[0] @ words[1]) >= _VERB_NEAR


def _by_reference(view: View, query: TableQuery, condition: RowCondition) -> RowCondition:
    """Return a condition on a name or a value of another table as one on the column that refers to it.

    It must be the only one, or the one that the question names: "Did Clara Wynn paint Three Crows?", of paintings with
    a painter; "Did Ada order the Riesling?", of orders of lots with a wine.
    """
    column, rows = condition.column, condition.places
    if column is None or column.table == query.base or rows is None:
        return condition
    if column.relation != NAME:
        rows = view.only(column.table, np.unique(view.graph.relations[column.relation].back.leads(rows)))
    links = [c for c in view.of_table(query.base) if c.kind == "link" and column.table in c.to]
    links = [c for c in links if c.relation in query.prefer] or links
    return replace(condition, table=query.base, column=links[0], places=rows) if len(links) == 1 else condition


def _values(facts: FactSource, column: Column | None, row: int) -> Ids:
    return facts.values(column.relation, np.array([row], np.int64))[1] if column is not None else NO_PLACES


def _is_turned_round(question: str, facts: FactSource, row: int, condition: RowCondition) -> bool:
    """Return True if a question asks whether the row did to a value what a condition says the value did to it."""
    said, name = plain_question(question), facts.graph.name
    column, values = condition.column, condition.places if condition.places is not None else NO_PLACES
    ends = (fold(name(value)) for value in values.tolist())
    return column is not None and any(turns_round(said, fold(name(row)), fold(column.text), end) for end in ends)


def _rows_that(query: TableQuery, conditions: list[RowCondition], view: View) -> Things:
    return TableTranslation(view, TableQuery(query.base, where=conditions)).rows()


def _executed(context: Context, reading: TableReading, asked: Among, *, is_true: bool) -> Executed:
    answer, graph = _truth(is_true=is_true, confidence=confidence_in(reading)), reading.view.graph
    end = (literal_node(answer.value or ""),)
    ways = [(legs_of(reading, row, n), end) for n, row in enumerate(reading.result.rows[:1])]
    row = graph.name(reading.result.rows[0])
    conditions = " and ".join(c.text for c in reading.query.where if not _is_name(reading.query, c))
    said = f"{row}: {conditions} is {'stated' if is_true else 'not what is stated'}"
    evidence = evidence_for(context, ways, relevance=answer.score)
    conclusion = uncontested((answer,), evidence, computation=said)
    return Executed(conclusion, (Step("Holds", said, 1, 1),), answer.score, (), "", True, query=asked)


def _truth(*, is_true: bool, confidence: float) -> AnswerValue:
    return AnswerValue("yes" if is_true else "no", None, f'"{str(is_true).lower()}"^^xsd:boolean', (), confidence)
