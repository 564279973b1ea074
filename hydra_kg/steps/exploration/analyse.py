"""What explorations look for (HydraRAG §4.1, §4.2.2, §4.2.3): analysis, sources, follow-up question, predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hydra_kg.domain import Analysis, Evidence, Mention
from hydra_kg.steps.context import Context
from hydra_kg.steps.exploration.gather import INITIAL, PREDICTED, REFINED, Aim, available
from hydra_kg.steps.exploration.predictions import entities_of
from hydra_kg.steps.linking.like_names import like_names
from hydra_kg.steps.linking.link import completed, link, mentions_of
from hydra_kg.steps.telling import tell_understood


def analysed(context: Context) -> tuple[tuple[Mention, ...], Analysis]:
    """Mentions and question analysis; ``sources`` of it is S_a, where the settings let the agent choose."""
    settings, agent = context.settings, context.agent
    named = _named(context, context.question)
    mentions = completed(context, named) if named else mentions_of(context)
    kinds = available(context, [m.chosen.node.id for m in mentions if m.chosen])
    asked = kinds if settings.agent.selector == "joined" else ()
    analysis = agent.analyse(context.question, mentions, d_max=settings.retrieval.d_max, kinds=asked)
    if settings.agent.selector == "off" or not kinds:
        return mentions, tell_understood(context, replace(analysis, sources=kinds))
    chosen = [k for k in analysis.sources or agent.select_sources(analysis, kinds) if k in kinds]
    return mentions, tell_understood(context, replace(analysis, sources=tuple(chosen) or kinds))


def initial(context: Context, analysis: Analysis) -> Aim:
    """S_a at D_predict (Algorithm 3 lines 1–5); whether something is so, one hop between what the question names."""
    depth = min(analysis.d_predict, context.settings.retrieval.d_max)
    toward: tuple[int, ...] = ()
    if analysis.kind == "boolean" and len(analysis.topics) > 1:
        depth, toward = 1, analysis.topics[1:]
    return Aim(INITIAL, context.question, analysis, context.depth or depth, analysis.sources, analysis.topics, toward)


def refined(context: Context, analysis: Analysis, evidence: Sequence[Evidence]) -> list[Aim]:
    """S_t at D_max by the follow-up question; text is that of its own topics (lines 9–12). None if there is none."""
    follow = context.agent.follow_up(analysis, evidence)
    if follow is None:
        return []
    about = analysis.topics
    if follow.question != context.question:
        mentions = _named(context, follow.question)
        mentions = mentions or link(follow.question, context.snapshot, candidates=1, like=like_names(context))
        about = tuple(dict.fromkeys((*(m.chosen.node.id for m in mentions if m.chosen), *about)))
    new = replace(analysis, indicator=follow.indicator)
    return [Aim(REFINED, follow.question, new, _deepest(context), available(context, analysis.topics), about)]


def predicted(context: Context, analysis: Analysis, evidence: Sequence[Evidence]) -> list[Aim]:
    """Return S_t at D_max towards the known predicted answers (lines 16–21), joined per indicator; ``summarise``
    searches text for each, as in the paper."""
    predictions = context.agent.predict(analysis, evidence)
    toward: dict[str, dict[int, str]] = {}
    for prediction, node in zip(predictions, entities_of(context, analysis, predictions, evidence), strict=True):
        if node is not None:
            toward.setdefault(prediction.indicator, {})[node] = prediction.name
    kinds = available(context, analysis.topics)
    aims: list[Aim] = []
    for indicator, nodes in toward.items():
        asked = kinds if not aims or context.settings.agent.summarise else tuple(k for k in kinds if k == "kg")
        question = f"{context.question} {', '.join(nodes.values())}"
        new = replace(analysis, indicator=indicator)
        about = (*analysis.topics, *nodes)
        aims.append(Aim(PREDICTED, question, new, _deepest(context), asked, about, tuple(nodes)))
    return aims


def _deepest(context: Context) -> int:
    return context.depth or context.settings.retrieval.d_max


def _named(context: Context, question: str) -> tuple[Mention, ...]:
    """Mentions of the names that the agent finds in the question; () where it leaves that to linking."""
    if not context.settings.agent.name_topics:
        return ()
    mentions = []
    for name in dict.fromkeys(context.agent.topics(question)):
        found = link(name, context.snapshot, embedder=context.space.embedder, like=like_names(context))
        best = max(found, key=lambda m: m.end - m.start, default=None)
        if best is not None:
            at = question.casefold().find(name.casefold())
            mentions.append(replace(best, text=name, start=at, end=at + len(name) if at >= 0 else -1))
    return tuple(mentions)
