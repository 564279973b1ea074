"""A question about data with a schema of its own is read in that schema's words, as columns or as a way from names."""

from __future__ import annotations

from hydra_kg.domain import Analysis, Mention
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.results.executed import Executed
from hydra_kg.steps.queries.answering import executed, read_tables
from hydra_kg.steps.queries.differences import difference, is_difference
from hydra_kg.steps.schema.answering import own_graph, read_in_own_words
from hydra_kg.steps.schema.disputes import disputed
from hydra_kg.strategies.base import Outcome
from hydra_kg.strategies.carried_out import carried_out

PHASE = "words"


def by_columns(context: Context, mentions: tuple[Mention, ...], analysis: Analysis) -> Outcome | None:
    """What the columns of the store's tables say: rows that meet conditions, counted, computed, grouped or ordered;
    None where :func:`by_words` gives none, the store is no folder of tables, or sources differ in what they say."""
    if not _own(context):
        return None
    with context.phase(PHASE):
        graph = own_graph(context)
        if graph is not None and is_difference(context.question):
            done = difference(graph, context)
        else:
            reading = read_tables(graph, context) if graph is not None else None
            done = executed(context, reading) if reading is not None else None
    return _outcome(context, mentions, analysis, done)


def by_words(context: Context, mentions: tuple[Mention, ...], analysis: Analysis) -> Outcome | None:
    """What the store's own classes, relations and names say; None where they do not account for the question, where
    sources differ in what is used, where a person named the topics or the sources, or where a model reads."""
    if not _own(context):
        return None
    with context.phase(PHASE):
        done = read_in_own_words(context)
    return _outcome(context, mentions, analysis, done)


def _own(context: Context) -> bool:
    named = context.topics or context.topic_keys or context.allowed
    return not (context.agent.reads or named) and context.settings.answering.own_words


def _outcome(
    context: Context, mentions: tuple[Mention, ...], analysis: Analysis, done: Executed | None
) -> Outcome | None:
    graph = own_graph(context)
    if done is None or graph is None or not done.conclusion.answers:
        return None
    if disputed(context, graph, done.conclusion.evidence):
        return None
    counts = {"answers": len(done.conclusion.answers)}
    return carried_out(context, mentions, analysis, done, phase=PHASE, counts=counts)
