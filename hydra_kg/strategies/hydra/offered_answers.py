"""Answer "who directed it, Lee or Lang?" by asking who directed it, and keeping the one that is offered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hydra_kg.plan.model import Compare
from hydra_kg.questions.decision import can_be_given, check_outcome
from hydra_kg.steps.answering.offered_choice import keep_offered, offered_choice
from hydra_kg.steps.context import Context, Observers
from hydra_kg.steps.exploration.analyse import analysed
from hydra_kg.steps.graph.question_graph import QuestionGraph
from hydra_kg.strategies.base import Outcome
from hydra_kg.util.fast_dataclass import replace

_BREAKS: Final = " ,:;–—-"


def keep_offered_answer(context: Context, ask: Callable[[Context], Outcome]) -> Outcome:
    """Return the outcome of ``ask``; if the question ends in a choice, of the question without it.

    Of the answers, the one that is offered is kept. If none is, none is given. Questions that compare the offered
    things ("Who is older, Lee or Lang?") are asked as they are.
    """
    if context.agent.reads or "or" not in context.question.split():
        return ask(context)
    mentions, analysis = analysed(replace(context, observers=Observers()))
    choice = offered_choice(context.question, mentions)
    compares = analysis.plan is not None and isinstance(analysis.plan.root, Compare)
    if choice is None or compares or not any(m.end <= choice.start for m in mentions):
        return ask(context)
    text = context.question[: choice.start].rstrip(_BREAKS).removesuffix(" the").rstrip(_BREAKS)
    graph = QuestionGraph(context.stored, context.space.question())
    own = replace(context, question=f"{text}?", graph=graph)
    outcome = check_outcome(own, ask(own))
    chosen = keep_offered(context.question, mentions, outcome.conclusion)
    if chosen is not None and chosen is not outcome.conclusion and can_be_given(outcome):
        return replace(outcome, conclusion=chosen, mentions=mentions, planned=True)
    if not choice.certain:
        return ask(context)
    judgement = replace(outcome.judgement, sufficient=False)
    return replace(outcome, judgement=judgement, mentions=mentions, planned=True)
