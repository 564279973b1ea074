"""Predicted answers as entities of the graph (HydraRAG §4.2.3): by their names, or by the likeness of these in G_q."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hydra_kg.domain import Analysis, Evidence, Prediction
from hydra_kg.steps.context import HUB_CAP, Context
from hydra_kg.steps.linking.like_names import LIKE_MEANING, like_names

_PROPOSED: Final = 50
"""Names that the index proposes for a prediction; few of them lie in G_q."""


def entities_of(
    context: Context, analysis: Analysis, predictions: Sequence[Prediction], evidence: Sequence[Evidence]
) -> list[int | None]:
    """Return each prediction's class or None, never a topic. ``retrieval.predictions``: ``name``, the entity so called,
    else spelled; ``similarity``, the nearest of G_q and ``evidence`` from ``LIKE_MEANING`` on."""
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
