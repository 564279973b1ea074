"""Tell listeners what a question finds on its way: linked, understood, found, pruned, chosen, judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hydra_kg.domain import Analysis, Evidence, Exploration, Judgement, Mention
from hydra_kg.events.question import MOST, Chosen, Found, Judged, Linked, NameLinked, Pruned, Understood
from hydra_kg.plan.query_wording import plan_words
from hydra_kg.steps.context import Context


def tell_linked(context: Context, mentions: tuple[Mention, ...]) -> tuple[Mention, ...]:
    """Report the names of the question and what they mean, and return them."""
    if context.observers.tell is not None:
        context.observers.tell(Linked(tuple(_linked(m) for m in mentions)))
    return mentions


def tell_understood(context: Context, analysis: Analysis) -> Analysis:
    """Report how the question was analysed, and return the analysis."""
    if context.observers.tell is not None:
        plan = plan_words(analysis.plan) if analysis.plan is not None else ""
        context.observers.tell(Understood(analysis.indicator, tuple(analysis.sources), analysis.d_predict, plan))
    return analysis


def tell_explored(context: Context, exploration: Exploration) -> Exploration:
    """Report what was found and pruned, and return the exploration."""
    if context.observers.tell is not None:
        evidence = exploration.evidence
        retained = [e for e in evidence if e.kept]
        best = tuple(e.path.text for e in retained[:MOST])
        context.observers.tell(Found(exploration.phase, len(evidence), best, dict(exploration.counts)))
        reasons = Counter(e.reason or "pruned" for e in evidence if not e.kept)
        context.observers.tell(Pruned(exploration.phase, len(retained), len(evidence) - len(retained), dict(reasons)))
    return exploration


def tell_judged(context: Context, chosen: Sequence[Evidence], judgement: Judgement) -> None:
    """Report which paths were chosen, and whether they are enough."""
    if context.observers.tell is not None:
        context.observers.tell(Chosen(tuple(e.path.text for e in chosen[:MOST]), len(chosen)))
        context.observers.tell(Judged(judgement.sufficient, round(judgement.confidence, 4), judgement.missing))


def _linked(mention: Mention) -> NameLinked:
    if mention.chosen is None:
        return NameLinked(mention.text, "", "", len(mention.candidates))
    node = mention.chosen.node
    return NameLinked(mention.text, node.key, node.name, max(len(mention.candidates) - 1, 0))
