"""The answer without a model: it is used if it is sure, or if the model settles nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hydra_kg.events.question import QuestionEvent
from hydra_kg.extract.languages.question_translation import in_english
from hydra_kg.ports import Agent
from hydra_kg.questions.decision import can_be_given, check_outcome, sources_state
from hydra_kg.questions.model_sql import answer_by_sql, is_wanted
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.question_graph import QuestionGraph
from hydra_kg.steps.schema.graph_choice import own_graph
from hydra_kg.strategies.base import Outcome


def graph_first(context: Context, ask: Callable[[Context], Outcome]) -> Outcome:
    """Return the outcome without a model if it is sure enough, otherwise the outcome with the model.

    The outcome without a model is computed first. It is returned if its confidence reaches ``agent.graph_first``, and
    if the model has nothing to judge, for example because the main name is unknown. If it has no answer, a query that
    the model writes over tables may answer. The outcome without a model is also returned if the model's own has no
    answer that the sources state, or answers another question. Settings may have the model asked first.
    """
    settings, judge = context.settings, context.services.without_model
    if judge is None or not context.agent.reads or settings.agent.graph_first >= 1:
        return ask(context)
    events: list[QuestionEvent] = []
    alone = _ask_without_model(context, judge, ask, events)
    possible = alone is not None and can_be_given(alone)
    if alone is not None and not (settings.answering.cypher or settings.agent.plan == "first"):
        sure = possible and alone.judgement.confidence >= settings.agent.graph_first
        if not possible and (queried := answer_by_sql(context, alone.mentions, alone.analysis)) is not None:
            return queried
        if sure or _is_hopeless(context, alone):
            _tell(context, events)
            return alone
    outcome = check_outcome(context, ask(context))
    given = can_be_given(outcome) and sources_state(outcome, settings)
    if alone is not None and ((possible and not given) or (given and _answers_another(context, alone, outcome))):
        return alone
    return replace(outcome, offline=None if "web" in context.kinds else alone)


def _tell(context: Context, events: Sequence[QuestionEvent]) -> None:
    if (tell := context.observers.tell) is not None:
        for event in events:
            tell(event)


def _is_hopeless(context: Context, alone: Outcome) -> bool:
    """Return True if a model has nothing to judge: the store has only tables, or the main name is unknown."""
    settings, analysis = context.settings, alone.analysis
    if context.services.web is not None or settings.model.alone:
        return False
    nameless = not analysis.topics and not settings.agent.name_topics
    unknown = bool(analysis.unknown or nameless) and not can_be_given(alone)
    return unknown or (is_wanted(context) and _tables_alone(context))


def _answers_another(context: Context, alone: Outcome, outcome: Outcome) -> bool:
    """Return True if the model answered a question of its own by single facts about the asked entities."""
    settings, paths = context.settings, [e.path for e in outcome.conclusion.evidence if e.answers]
    if settings.model.alone or alone.judgement.confidence >= settings.agent.doubt or outcome.planned or not paths:
        return False
    topics = set(alone.analysis.topics)
    return all(p.passage is None and len(p.hops) == 1 and p.hops[0].subject.id in topics for p in paths)


def _tables_alone(context: Context) -> bool:
    """Return True if the store contains only the user's own tables."""
    graph = own_graph(context)
    kinds = {s.kind for m in context.stored.manifest() for s in m.sources}
    return graph is not None and graph.tabular and "wiki" not in kinds


def _ask_without_model(
    context: Context, judge: Agent, ask: Callable[[Context], Outcome], events: list[QuestionEvent]
) -> Outcome | None:
    """Return the outcome without a model, on a graph of its own, or None for a language that only a model reads."""
    reading = in_english(context.question)
    kinds = [kind for kind in context.kinds if kind != "web"]  # asked of the web once, by whoever decides
    if not reading.understood or not kinds:
        return None
    settings = context.settings.changed(retrieval={"kinds": ",".join(kinds)})
    graph = QuestionGraph(context.stored, context.space.question())
    observers = replace(context.observers, watch=None, tell=events.append)
    mine = replace(context, question=reading.text, graph=graph, settings=settings, agent=judge, observers=observers)
    return replace(check_outcome(mine, ask(mine)), without_model=True)
