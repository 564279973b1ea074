"""Answer "who directed it, Lee or Lang?" by asking who directed it, and keeping the one that is offered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from hydra_kg.domain import Mention
from hydra_kg.plan.model import Compare
from hydra_kg.questions.decision import can_be_given, check_outcome
from hydra_kg.steps.answering.offered_choice import keep_offered, offered_choice
from hydra_kg.steps.answering.results import value_of
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
    if analysis.kind == "boolean":
        return _keep_true_side(context, mentions, ask) or ask(context)
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


def _keep_true_side(context: Context, mentions: Sequence[Mention], ask: Callable[[Context], Outcome]) -> Outcome | None:
    """Return the side for which a yes-or-no question is true: "Is Vienna the capital of Austria or Hungary?".

    The result is None if the question ends in no such choice, or is true for none of its sides or for both.
    """
    text, last = context.question.rstrip(" ?"), sorted(mentions, key=lambda m: m.start)[-2:]
    if len(last) < 2 or last[1].end != len(text):
        return None
    before, choice, article = text[last[0].end : last[1].start].partition(" or ")
    if before or not choice or len(article.split()) > 1:
        return None
    true: list[Outcome] = []
    for side in last:
        said = f"{text[: last[0].start]}{text[side.start : side.end]}?"
        own = replace(context, question=said, graph=QuestionGraph(context.stored, context.space.question()))
        outcome = check_outcome(own, ask(own))
        if side.chosen is not None and can_be_given(outcome) and outcome.conclusion.answers[0].name == "yes":
            answer = value_of(side.chosen.node, outcome.conclusion.answers[0].score)
            end = replace(outcome.conclusion, answers=(answer,), computation="")
            true.append(replace(outcome, conclusion=end, mentions=tuple(mentions), planned=True))
    return true[0] if len(true) == 1 else None
