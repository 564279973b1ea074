"""Answer a question whose plan has operators (compare, count, first, not, …) by executing the plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from hydra_kg.domain import Analysis, Mention
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.plan.model import HOLDER, Among, Count, Every, Lived, Only, Related, Root, Some, Untrue
from hydra_kg.plan.walk import operators
from hydra_kg.questions.plan_outcome import plan_outcome
from hydra_kg.steps.context import Context
from hydra_kg.steps.linking.given_topics import is_additional
from hydra_kg.steps.linking.mention_spans import names_nothing, words
from hydra_kg.steps.operators import execute
from hydra_kg.steps.schema.graph_choice import own_graph
from hydra_kg.strategies.base import Outcome

_PLAN_FIRST: Final = 0.8  # confidence from which operators come before a reading in the store's own words
_COLUMNS_FIRST: Final = 0.7
"""Confidence from which columns of a graph that is not made of tables come before its plan."""
_COLUMNS_SURE: Final = 0.85
"""Confidence from which they also come before its own words where columns leave things out, which have no class."""

PHASE = "plan"

CLAIMED = Among | Some | Lived | Every | Only | Untrue
"""Operators of claims. An agent that reads judges these from paths and text first."""


def answer_from_graph(context: Context, mentions: tuple[Mention, ...], analysis: Analysis) -> Outcome | None:
    """Answer from a query, a plan or the store's own words, for every strategy that concludes from the graph.

    Try in this order:

    - a query that the model wrote, if that is switched on
    - columns that account for every word
    - whether a named row has the named values, for a question that asks yes or no
    - a plan whose operators are sure (a count in the store's own words comes before it)
    - the store's own words
    - columns that leave a word unplaced
    - an unsure plan
    - columns of a graph that is not made of tables

    Return None if all give nothing; the strategy then explores.
    """
    if context.agent.reads:
        from hydra_kg.questions.model_cypher import answer_by_cypher

        if (queried := answer_by_cypher(context, mentions, analysis)) is not None:
            return queried
    if (graph := graph_to_ask(context, mentions)) is None:
        return _by_operators(context, mentions, analysis)
    return _from_own_data(context, graph, mentions, analysis)


def graph_to_ask(context: Context, mentions: tuple[Mention, ...]) -> OwnGraph | None:
    """Return the graph of the user's own data.

    Return None if sources were named, if a topic was given that the question does not name, or if a model reads.
    """
    named = context.allowed or any(map(is_additional, mentions))
    wanted = context.settings.answering.own_words and not names_nothing(words(context.question))
    return own_graph(context) if wanted and not (context.agent.reads or named) else None


def _from_own_data(
    context: Context, graph: OwnGraph, mentions: tuple[Mention, ...], analysis: Analysis
) -> Outcome | None:
    from hydra_kg.questions.own_data import (  # their readers take a tenth of the start, and dumps need none of them
        answer_by_columns,
        answer_by_schema_words,
        answer_yes_or_no,
        is_typed,
    )

    columns = answer_by_columns(context, graph, mentions, analysis)
    if columns is not None and not columns.in_doubt and _is_likely(graph, columns):
        if graph.tabular or columns.judgement.confidence >= _COLUMNS_SURE or is_typed(graph):
            return columns
        words = answer_by_schema_words(context, graph, mentions, analysis)
        return words if words is not None and _confidence(words) > _confidence(columns) else columns
    if (truth := answer_yes_or_no(context, graph, mentions, analysis)) is not None:
        return truth
    planned = _by_operators(context, mentions, analysis)
    first = _PLAN_FIRST
    sure = planned is not None and planned.judgement.confidence >= first
    if planned is not None and sure and planned.conclusion.answers:
        counts = analysis.plan is not None and isinstance(analysis.plan.root, Count)
        words = answer_by_schema_words(context, graph, mentions, analysis) if counts else None
        return words if words is not None and words.judgement.confidence >= first else planned
    words = answer_by_schema_words(context, graph, mentions, analysis)
    if words is not None and not words.conclusion.answers and columns is not None and columns.conclusion.answers:
        return columns  # one cell that lists an unknown name as unchecked
    found = words or (columns if graph.tabular else None) or planned
    if found is not None or (analysis.plan is not None and analysis.plan.open):
        return found  # a plan that was understood is not replaced, and only tables state all that is so
    return columns


def _is_likely(graph: OwnGraph, columns: Outcome) -> bool:
    """Return True if an answer by columns comes before a plan: any of tables, a likely one of other graphs."""
    return graph.tabular or _confidence(columns) >= _COLUMNS_FIRST


def _confidence(outcome: Outcome) -> float:
    """Return the confidence of an outcome that has answers, else 0."""
    return outcome.judgement.confidence if outcome.conclusion.answers else 0.0


def _by_operators(context: Context, mentions: tuple[Mention, ...], analysis: Analysis) -> Outcome | None:
    plan = analysis.plan
    if plan is None or not context.settings.answering.plan or not (operators(plan) or _asks_for_holder(plan.root)):
        return None
    if context.agent.reads and isinstance(plan.root, CLAIMED):
        return None  # whether something is so it judges from paths and text, see answer_claim_by_plan
    with context.phase(PHASE):
        done = execute(context, plan)
    if done is None or not (done.conclusion.answers or done.decided or plan.open):
        return None
    if context.agent.reads and not done.conclusion.answers and not plan.open:
        return None  # who reads may find in the paths what no relation says
    counts = {"operators": len(done.steps)}
    return plan_outcome(context, mentions, analysis, done, phase=PHASE, counts=counts)


def _asks_for_holder(root: Root) -> bool:
    """Return True if a plan asks who holds a named office: "who is the president of France"."""
    return isinstance(root, Related) and root.phrase == HOLDER


def answer_claim_by_plan(context: Context, outcome: Outcome) -> Outcome:
    """Return the outcome, or a yes or no from the graph if a model that reads did not decide the claim."""
    plan, answered = outcome.analysis.plan, outcome.judgement.sufficient and outcome.conclusion.answers
    if plan is None or answered or not context.agent.reads or not context.settings.answering.plan:
        return outcome
    if not isinstance(plan.root, CLAIMED):
        return outcome
    with context.phase(PHASE):
        done = execute(context, plan)
    if done is None or not done.conclusion.answers:
        return outcome
    counts = {"operators": len(done.steps)}
    planned = plan_outcome(context, outcome.mentions, outcome.analysis, done, phase=PHASE, counts=counts)
    return replace(planned, explorations=(*outcome.explorations, *planned.explorations))
