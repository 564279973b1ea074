"""A question about data with a schema of its own is read in that schema's words, as columns or as a way from names."""

from __future__ import annotations

from dataclasses import replace

from hydra_kg.domain import Analysis, Mention
from hydra_kg.steps.context import Context
from hydra_kg.steps.linking.given_topics import is_additional
from hydra_kg.steps.linking.own_names import SpelledQuestion, spelled
from hydra_kg.steps.operators.results.executed import Executed
from hydra_kg.steps.own_graphs.own_graph import OwnGraph
from hydra_kg.steps.queries.answering import executed, read_tables
from hydra_kg.steps.queries.differences import difference, is_difference
from hydra_kg.steps.schema.answering import read_in_own_words
from hydra_kg.steps.schema.choosing import own_graph
from hydra_kg.steps.schema.disputes import disputed
from hydra_kg.strategies.base import Outcome
from hydra_kg.strategies.carried_out import carried_out

PHASE = "words"
MOST_CONFIDENT = 0.75
"""Confidence of columns of a graph that is not made of tables: 3 of 6 wrong answers of one set were called sure."""
MOST_RELATIONS = 300
MOST_THINGS = 100_000
"""Above these a graph that is not made of tables is not read as columns."""


def by_columns(context: Context, mentions: tuple[Mention, ...], analysis: Analysis, *, tables: bool) -> Outcome | None:
    """Answer from the columns of the own graph: rows that meet conditions, counted, computed, grouped or ordered.

    ``tables``: only if the graph is made of tables, or only if it is not. None where :func:`by_words` gives none, no
    query accounts for the question, or sources differ in what they say.
    """
    graph = own_graph(context) if _own(context, mentions) else None
    if graph is None or graph.tabular != tables or not (tables or _is_small(graph)):
        return None
    with context.phase(PHASE):
        said = spelled(context, graph, mentions)
        if said is None:
            return None
        asking = replace(context, question=said.text)
        reading = None if is_difference(said.text) else read_tables(said.graph, asking)
        if is_difference(said.text):
            done = difference(said.graph, asking)
        else:
            done = executed(asking, reading) if reading is not None else None
    return _outcome(context, said, analysis, done, is_cell=reading is not None and reading.query.is_cell)


def by_words(context: Context, mentions: tuple[Mention, ...], analysis: Analysis) -> Outcome | None:
    """Answer in the words of the store's own classes, relations and names.

    None if they do not account for the question, sources differ in what is used, a topic was given that the question
    does not name, sources were named, or a model reads.
    """
    graph = own_graph(context) if _own(context, mentions) else None
    if graph is None:
        return None
    with context.phase(PHASE):
        said = spelled(context, graph, mentions)
        if said is None:
            return None
        done = read_in_own_words(said.graph, replace(context, question=said.text))
    return _outcome(context, said, analysis, done)


def _at_most(outcome: Outcome, confidence: float) -> Outcome:
    judgement = outcome.judgement
    return replace(outcome, judgement=replace(judgement, confidence=min(judgement.confidence, confidence)))


def _is_small(graph: OwnGraph) -> bool:
    return len(graph.relations) <= MOST_RELATIONS and len(graph.ids) <= MOST_THINGS


def _own(context: Context, mentions: tuple[Mention, ...]) -> bool:
    named = context.allowed or any(map(is_additional, mentions))
    return not (context.agent.reads or named) and context.settings.answering.own_words


def _outcome(
    context: Context, said: SpelledQuestion, analysis: Analysis, done: Executed | None, *, is_cell: bool = False
) -> Outcome | None:
    """Return the outcome of a reading. It has no answer if the reading leaves out an unknown name ("aspirin").

    Only the reading as one cell (`is_cell`) may leave it out, because it lists the name as unchecked.
    """
    graph = own_graph(context)
    if done is None or graph is None or not done.conclusion.answers:
        return None
    if disputed(context, graph, done.conclusion.evidence):
        return None
    if said.unknown and not (is_cell and any(said.unknown in text for text in done.in_doubt)):
        done = Executed(reason=f"nothing in the data is called “{said.unknown}”", decided=True)
    counts = {"answers": len(done.conclusion.answers)}
    return carried_out(context, said.mentions, analysis, done, phase=PHASE, counts=counts)
