"""A question about data with a schema of its own is read in that schema's words, as columns or as a way from names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hydra_kg.domain import Analysis, Mention
from hydra_kg.plan.model import Plan, Related
from hydra_kg.questions.plan_outcome import carried_out
from hydra_kg.steps.composed_queries.differences import difference, is_difference
from hydra_kg.steps.composed_queries.time_spans import is_time_span, time_between
from hydra_kg.steps.composed_queries.truth import read_truth
from hydra_kg.steps.context import Context
from hydra_kg.steps.linking.given_topics import is_additional
from hydra_kg.steps.linking.mention_spans import names_nothing, words
from hydra_kg.steps.linking.own_names import SpelledQuestion, spelled
from hydra_kg.steps.operators.results.executed import Executed
from hydra_kg.steps.own_graphs.own_graph import OwnGraph
from hydra_kg.steps.queries.answering import executed, read_tables
from hydra_kg.steps.schema.answering import read_in_own_words
from hydra_kg.steps.schema.asked_kind import is_asked_kind
from hydra_kg.steps.schema.choosing import own_graph
from hydra_kg.steps.schema.disputes import disputed
from hydra_kg.steps.schema.question import WHETHER, asked
from hydra_kg.steps.sheets.answering import read_sheet, weigh_sheet
from hydra_kg.steps.tables.placement import needs_two_rows, passes_over_a_choice
from hydra_kg.strategies.base import Outcome
from hydra_kg.text.folding import fold, tokens

PHASE = "words"
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
        reading = None
        if is_difference(said.text):
            done = difference(said.graph, asking) or time_between(said.graph, asking)
        elif is_time_span(said.text):
            done = time_between(said.graph, asking)
        else:
            reading = read_tables(said.graph, asking)
            if reading is not None and not said.unknown and passes_over_a_choice(reading.view, reading.query):
                reading = None
            if reading is not None and needs_two_rows(reading.view, reading.query, said.text):
                reading = None
            done = executed(asking, reading) if reading is not None else None
        if done is not None and _repeats_question(done, said.text):
            done = None
        holds_today = reading is not None and reading.query.holds_today  # which no sheet knows
        sheet = read_sheet(said.graph, asking) if tables and not holds_today else None
        if sheet is not None:
            kind = "" if reading is None else "cell" if reading.query.is_cell else reading.query.do
            done = weigh_sheet(asking, done, sheet, kind=kind, unknown=bool(said.unknown))
            if done is not None and _repeats_question(done, said.text):
                done = None
        is_cell = reading is not None and reading.query.is_cell
    return _outcome(context, said, analysis, done, is_cell=is_cell)


def _repeats_question(done: Executed, question: str) -> bool:
    """Return True if every answer is a thing that the question names, and the question offers no choice.

    "Who is the sponsor of Petra Vogel?" is not answered by Petra Vogel.
    """
    low = question.casefold()
    answers = done.conclusion.answers
    return " or " not in low and bool(answers) and all(a.node is not None and a.name.casefold() in low for a in answers)


def by_truth(context: Context, mentions: tuple[Mention, ...], analysis: Analysis) -> Outcome | None:
    """Answer yes or no from the columns of the own graph: whether a row that is named has the values that are named."""
    graph = own_graph(context) if _own(context, mentions) and _asks_truth(context, analysis) else None
    if graph is None or not (graph.tabular or _is_small(graph)):
        return None
    with context.phase(PHASE):
        said = spelled(context, graph, mentions)
        if said is None or said.unknown:
            return None
        done = read_truth(said.graph, replace(context, question=said.text))
    return _outcome(context, said, analysis, done)


def _asks_truth(context: Context, analysis: Analysis) -> bool:
    return analysis.answer_type == "claim" or WHETHER.match(context.question) is not None


def _is_on_the_way(plan: Plan | None, in_doubt: Sequence[str]) -> bool:
    """Return True if a reading leaves out where or when something happened, and leads no further than to the thing.

    The director of Salt is no answer to "Where was the director of Salt born?".
    """
    root = plan.root if plan is not None else None
    if not isinstance(root, Related) or not isinstance(root.of, Related) or root.noun:
        return False
    if not root.phrase.startswith(("where ", "when ")):
        return False
    return not set(tokens(root.phrase)).isdisjoint(w for text in in_doubt for w in tokens(fold(text)))


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
        if done is not None and _repeats_question(done, said.text):
            done = None
    return _outcome(context, said, analysis, done)


def _is_small(graph: OwnGraph) -> bool:
    return len(graph.relations) <= MOST_RELATIONS and len(graph.ids) <= MOST_THINGS


def _own(context: Context, mentions: tuple[Mention, ...]) -> bool:
    named = context.allowed or any(map(is_additional, mentions))
    wanted = context.settings.answering.own_words and not names_nothing(words(context.question))
    return wanted and not (context.agent.reads or named)


def _outcome(
    context: Context, said: SpelledQuestion, analysis: Analysis, done: Executed | None, *, is_cell: bool = False
) -> Outcome | None:
    """Return the outcome of a reading. It has no answer if the reading leaves out an unknown name ("aspirin").

    Only the reading as one cell (`is_cell`) may leave it out, because it lists the name as unchecked.
    """
    graph = own_graph(context)
    if done is None or graph is None or not done.conclusion.answers:
        return None
    if not is_asked_kind(asked(said.text), done.conclusion.answers):
        return None
    if _is_on_the_way(analysis.plan, done.in_doubt):
        return None
    if disputed(context, graph, done.conclusion.evidence):
        return None
    if said.unknown and not (is_cell and any(said.unknown in text for text in done.in_doubt)):
        done = Executed(reason=f"nothing in the data is called “{said.unknown}”", decided=True)
    counts = {"answers": len(done.conclusion.answers)}
    return carried_out(context, said.mentions, analysis, done, phase=PHASE, counts=counts)
