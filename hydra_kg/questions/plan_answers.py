"""Answer a question whose plan has operators (compare, count, first, not, …) by executing the plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hydra_kg.domain import Analysis, Mention
from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.extract.word_classes import NOUN, VERB, kind
from hydra_kg.language.morphology import is_same_family, singular
from hydra_kg.language.tokens import Word, split_identifier
from hydra_kg.plan.model import HOLDER, Among, Every, Only, Related, Root, Some, Untrue
from hydra_kg.plan.walk import operators
from hydra_kg.questions.plan_outcome import plan_outcome
from hydra_kg.steps.context import Context
from hydra_kg.steps.linking.given_topics import is_additional
from hydra_kg.steps.linking.mention_spans import names_nothing, words
from hydra_kg.steps.operators import execute
from hydra_kg.steps.schema.graph_choice import own_graph
from hydra_kg.strategies.base import Outcome

_LIKELY: Final = 0.8
"""Confidence from which an answer from the user's own data counts without asking the next reader."""

PHASE = "plan"

CLAIMED = Among | Some | Every | Only | Untrue
"""Operators of claims. An agent that reads judges these from paths and text first."""


def answer_from_graph(context: Context, mentions: tuple[Mention, ...], analysis: Analysis) -> Outcome | None:
    """Answer from a query or a plan, for every strategy that concludes from the graph.

    A query that the model wrote comes first, if that is switched on. Then the user's own data are read, or other graphs
    asked by the plan. Return None if nothing answers; the strategy then explores.
    """
    if context.agent.reads:
        from hydra_kg.questions.model_cypher import answer_by_cypher

        if (queried := answer_by_cypher(context, mentions, analysis)) is not None:
            return queried
    if (graph := graph_to_ask(context, mentions)) is None:
        return _answer_by_plan(context, mentions, analysis)
    return _from_own_data(context, graph, mentions, analysis)


def graph_to_ask(context: Context, mentions: tuple[Mention, ...]) -> OwnGraph | None:
    """Return the graph of the user's own data.

    Return None if sources were named, if a topic was given that the question does not name, or if a model reads.
    """
    named = context.allowed or any(map(is_additional, mentions))
    if not context.settings.answering.own_words or context.agent.reads or named:
        return None
    graph, said = own_graph(context), words(context.question)
    return None if graph is None or (names_nothing(said) and not _says_a_heading(graph, said)) else graph


def _says_a_heading(graph: OwnGraph, said: Sequence[Word]) -> bool:
    """Return True if a verb or noun is a word of a relation or class: who *started* last, how many *plays*."""
    headings = {word for relation in graph.relations for word in relation.words}
    headings |= {word for name in graph.classes for word in split_identifier(name)}
    lows = [low for low in (word.text.casefold() for word in said) if kind(low) in (NOUN, VERB)]
    return any(is_same_family(low, one) or singular(low) == singular(one) for low in lows for one in headings)


def _from_own_data(
    context: Context, graph: OwnGraph, mentions: tuple[Mention, ...], analysis: Analysis
) -> Outcome | None:
    """Return the first likely answer of the readers in turn, else the best of them. The plan comes last."""
    from hydra_kg.questions.own_data import READERS  # they take a tenth of the start, and dumps need none of them

    found: list[tuple[bool, float, Outcome]] = []
    for read in (*READERS, _read_plan):
        outcome = read(context, graph, mentions, analysis)
        if outcome is None:
            continue
        sure_empty = graph.typed and not outcome.conclusion.answers  # no row meets the conditions, or has the value
        first = not found and (graph.tabular or sure_empty)
        if not outcome.in_doubt and (_confidence(outcome) >= _LIKELY or first):
            return outcome
        about_values = read is _read_plan  # what a plan doubts; the others doubt words that they leave out
        whole = bool(outcome.conclusion.answers) and (about_values or not outcome.in_doubt)
        found.append((whole, _confidence(outcome), outcome))
    return max(found, key=lambda one: one[:2])[2] if found else None


def _read_plan(context: Context, graph: OwnGraph, mentions: tuple[Mention, ...], analysis: Analysis) -> Outcome | None:
    """Return the outcome of a plan over the user's own data."""
    from hydra_kg.questions.own_data import counts_others  # see _from_own_data

    outcome = _answer_by_plan(context, mentions, analysis)
    return None if outcome is None or counts_others(graph, analysis.plan, outcome) else outcome


def _confidence(outcome: Outcome) -> float:
    """Return the confidence of an outcome that has answers, else 0."""
    return outcome.judgement.confidence if outcome.conclusion.answers else 0.0


def _answer_by_plan(context: Context, mentions: tuple[Mention, ...], analysis: Analysis) -> Outcome | None:
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
