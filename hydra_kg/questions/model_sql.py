"""Answer a question about tables with an SQL query that a model writes.

It is run as the query that questions are read as.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from hydra_kg.domain import Analysis, Mention
from hydra_kg.questions.plan_outcome import plan_outcome
from hydra_kg.steps.context import Context
from hydra_kg.steps.queries.drafting.answer_kinds import echoes, fits_question
from hydra_kg.steps.queries.table_answers import executed
from hydra_kg.steps.queries.table_execution import TableReading, run_query
from hydra_kg.steps.schema.graph_choice import own_graph
from hydra_kg.steps.schema.question_words import WHETHER
from hydra_kg.steps.sql.schema_names import SqlNames
from hydra_kg.steps.sql.sql_checks import unlike
from hydra_kg.steps.sql.sql_parsing import SqlError, parsed
from hydra_kg.steps.sql.sql_translation import SqlTranslation
from hydra_kg.steps.tables import costs
from hydra_kg.steps.tables.graph_tables import View, view_of
from hydra_kg.steps.tables.operation_words import tokens
from hydra_kg.strategies.base import Outcome

PHASE: Final = "sql"
_LONGEST: Final = 5_000
"""Most characters of the description of the tables for a model."""

_TRIES: Final = 2
_PARTS: Final = str.maketrans("‹›", "<>")
"""Replacements for signs that a prompt may not contain, with the signs that they stand for in a reply."""


def answer_by_sql(context: Context, mentions: tuple[Mention, ...], analysis: Analysis) -> Outcome | None:
    """Return the result of an SQL query that the model wrote, which gets two tries.

    The query is read as columns, conditions and orders that say what the question says. Return None if this is switched
    off, if there are no tables or no result, if the question or caller names topics or sources, or if it asks for yes
    or no.
    """
    graph = own_graph(context) if is_wanted(context) else None
    if graph is None or not graph.tabular or WHETHER.match(context.question):
        return None
    view = context.once(("tables", graph), lambda: view_of(graph))
    names = context.once(("tables in sql", graph), lambda: SqlNames(view))
    described = names.text(_LONGEST)
    refused = "" if described else "the tables are too many"
    with context.phase(PHASE):
        for sample in range(_TRIES if described else 0):
            notes = f"{described}. An earlier query was refused: {refused}." if refused else f"{described}."
            text = " ".join(context.agent.compose(analysis, "sql", (), notes=notes, sample=sample)).translate(_PARTS)
            if not text:
                return None
            try:
                reading = _read(context, view, names, text)
            except SqlError as error:
                refused = str(error)
                continue
            done = executed(context, reading)
            counts = {"rows": len(reading.result.rows), "answers": len(done.conclusion.answers)}
            return plan_outcome(context, mentions, analysis, done, phase=PHASE, counts=counts)
    return None


def is_wanted(context: Context) -> bool:
    """Return whether a model may be asked for a query over tables."""
    settings, named = context.settings.answering, context.topics or context.allowed
    return settings.sql and settings.own_words and context.agent.reads and not named


def _read(context: Context, view: View, names: SqlNames, text: str) -> TableReading:
    """Return the query with its result.

    Raise SqlError if it does not say what the question says, or finds nothing.
    """
    translation = SqlTranslation(names)
    try:
        query = translation.query(parsed(text.rstrip("; ")))
    except SqlError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise SqlError("it has a form that is not read") from error
    if why := unlike(view, context.question, query, translation.conditions.said, denies=translation.conditions.denies):
        raise SqlError(why)
    if not fits_question(view, tokens(context.question), query):
        raise SqlError("it shows what the question does not ask for")
    reading = run_query(view, query)
    result = reading.result
    if not result or result.number == 0:
        raise SqlError("it finds nothing")
    if echoes(view, query, result.values):
        raise SqlError("it shows what the question says")
    return replace(reading, cost=costs.BY_MODEL)
