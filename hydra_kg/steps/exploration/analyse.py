"""Decide what explorations look for (HydraRAG §4.1, §4.2.2, §4.2.3): analysis, sources, follow-up, predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hydra_kg.domain import Analysis, Evidence, Mention, Prediction
from hydra_kg.steps.context import HUB_CAP, Context, tell_understood
from hydra_kg.steps.exploration.gather import INITIAL, PREDICTED, REFINED, Aim
from hydra_kg.steps.linking.entity_linking import completed, link, mentions_of
from hydra_kg.steps.linking.like_names import LIKE_MEANING, like_names

_PROPOSED: Final = 50
"""Names that the index proposes for a prediction; few of them lie in G_q."""


def entities_of(
    context: Context, analysis: Analysis, predictions: Sequence[Prediction], evidence: Sequence[Evidence]
) -> list[int | None]:
    """Return the class of each prediction or None; a topic is never one.

    With ``retrieval.predictions`` = ``name`` it is the entity of that name, or else of nearly that spelling. With
    ``similarity`` it is the nearest one of G_q and ``evidence``, from ``LIKE_MEANING`` on.
    """
    if not predictions:
        return []
    names = [p.name for p in predictions]
    hits = context.snapshot.find(names, limit=5)
    if context.settings.retrieval.predictions == "similarity":
        return _similar(context, analysis, names, [[h.node for h in found] for found in hits], evidence)
    like = like_names(context)
    if like is not None and (left := [n for n, found in enumerate(hits) if not found]):
        for n, found in zip(left, like([names[n] for n in left]), strict=True):
            hits[n] = found
    return [next((h.node for h in found if h.node not in analysis.topics), None) for found in hits]


def _similar(
    context: Context,
    analysis: Analysis,
    names: Sequence[str],
    called: Sequence[Sequence[int]],
    evidence: Sequence[Evidence],
) -> list[int | None]:
    settings = context.settings
    depth = context.depth or settings.retrieval.d_max
    graph = context.snapshot.cut(
        analysis.topics,
        depth=depth,
        hops=settings.retrieval.hops,
        budget=settings.retrieval.edge_budget,
        hub_cap=HUB_CAP,
    )
    inside = set(graph.ids[graph.nodes].tolist())
    proposed = context.services.like(names, _PROPOSED) if context.services.like is not None else [[] for _ in names]
    passed = {n.id for e in evidence for h in e.path.hops for n in (h.subject, h.object)}
    pools = [
        sorted((({*own, *(h.node for h in hits)} & inside) | passed) - set(analysis.topics))
        for own, hits in zip(called, proposed, strict=True)
    ]
    known = context.entities([n for pool in pools for n in pool])
    embed = context.space.embedder.embed
    found: list[int | None] = []
    for name, pool in zip(names, pools, strict=True):
        vectors = embed([name, *(known[n].node.name for n in pool)])
        cosines = (vectors[1:] @ vectors[0]).tolist()
        best = max(zip(cosines, pool, strict=True), default=(0.0, 0))
        found.append(best[1] if best[0] >= LIKE_MEANING else None)
    return found


def analysed(context: Context) -> tuple[tuple[Mention, ...], Analysis]:
    """Return the mentions and the analysis of the question; its ``sources`` are S_a if the agent may choose them."""
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
    """Return the first exploration: S_a at D_predict (Algorithm 3 lines 1–5).

    For a yes-or-no question, it looks for one hop between the things that the question names.
    """
    depth = min(analysis.d_predict, context.settings.retrieval.d_max)
    toward: tuple[int, ...] = ()
    if analysis.kind == "boolean" and len(analysis.topics) > 1:
        depth, toward = 1, analysis.topics[1:]
    return Aim(INITIAL, context.question, analysis, context.depth or depth, analysis.sources, analysis.topics, toward)


def refined(context: Context, analysis: Analysis, evidence: Sequence[Evidence]) -> list[Aim]:
    """Return the exploration of the follow-up question: S_t at D_max (lines 9–12), or None if there is none.

    Its text is that of its own topics.
    """
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
    """Return one exploration per indicator towards the known predicted answers (S_t at D_max, lines 16–21).

    Predictions with the same indicator share an exploration. Text is searched for the first one only, or for each, as
    in the paper, if the setting ``summarise`` is on.
    """
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
    """Return the mentions of the names that the agent finds in the question; () if it leaves that to linking."""
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


def available(context: Context, topics: Sequence[int]) -> tuple[str, ...]:
    """Return the kinds of source that could answer a question about these classes (S_t, HydraRAG §4.1)."""
    loads = [load for load in context.snapshot.manifest() if any(context.may(s.name) for s in load.sources)]
    found = (
        ("kg", bool(topics) and any(load.facts for load in loads)),
        ("wiki", any(s.kind in {"wiki", "web"} for load in loads for s in load.sources)),
        ("web", context.services.web is not None),
    )
    return tuple(kind for kind, there in found if there and kind in context.kinds)
