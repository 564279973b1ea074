"""Pruning (HydraRAG §4.3, Algorithm 4): W_1 by relevance, W_2 by cross-score with verification, W_max by the agent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from hydra_kg.domain import Analysis, Evidence, Exploration, Floats, Ids, Index
from hydra_kg.steps.context import Context
from hydra_kg.steps.relevance.path_relevance import Relevance, embeds_text, text_relevance, unit
from hydra_kg.steps.retrieval.graph_retrieval import JudgedPath, RetrievalResult
from hydra_kg.steps.retrieval.path_instances import PathInstance, instances, materialise
from hydra_kg.steps.retrieval.topic_constraint import RelationPath
from hydra_kg.steps.verification.pooled_support import Supported
from hydra_kg.steps.verification.support import back, origins
from hydra_kg.steps.verification.verify import scores
from hydra_kg.util.recording import step


@step("verify")
def verified(
    context: Context, found: RetrievalResult, *, indicator: str = "", said: Ids | None = None
) -> RetrievalResult:
    """Verify the pool by facts, with one instance of each path.

    It is the first instance that leads to ``said`` classes, or else the first. ``indicator`` is I, with which the texts
    of paths are compared if ``relevance.path_vectors`` is ``text``.
    """
    settings, pool = context.settings, found.paths
    if not pool:
        return found
    spoken = found.hops.local(said) if said is not None and len(said) else None
    paths = materialise(context, [_instance(p, spoken) for p in pool], found.hops)
    if settings.verification.support in {"facts", "both"}:
        head = settings.pruning.w2
        paths[:head] = back(context, paths[:head], [p.codes for p in pool[:head]])
    relevance = [unit(r.score, settings) for r in pool]
    if embeds_text(context):
        relevance = text_relevance(context, indicator, paths)
    own = [origins(p, independence=settings.verification.independence) for p in paths]
    topics = found.graph.ids[found.graph.topics].tolist()
    judged = [
        JudgedPath(
            r,
            p,
            o,
            o,
            scores(
                p,
                like,
                supporters=o,
                inside=found.inside,
                settings=settings,
                topics=topics,
                candidates=len(pool),
            ),
        )
        for r, p, o, like in zip(pool, paths, own, relevance, strict=True)
    ]
    return replace(found, judged=_ranked(judged))


def with_pool(found: RetrievalResult, backed: Sequence[Supported]) -> RetrievalResult:
    """Add to each judged path the support that the other paths of the pool give it.

    ``backed`` is in the order of ``found.judged``.
    """
    judged = [replace(j, supporters=b.supporters, scores=b.scores) for j, b in zip(found.judged, backed, strict=True)]
    return replace(found, judged=_ranked(judged))


def _ranked(judged: Iterable[JudgedPath]) -> tuple[JudgedPath, ...]:
    return tuple(sorted(judged, key=lambda j: (-j.scores.cross, -j.relation.score, j.relation.codes)))


def _instance(path: RelationPath, spoken: Index | None) -> PathInstance:
    """Return the instance that represents a relation path."""
    if spoken is None or len(path.ends) == 1:
        return instances(path, most=1)[0]
    at = np.flatnonzero(np.isin(path.ends, spoken))
    return instances(path, most=int(at[0]) + 1)[-1] if len(at) else instances(path, most=1)[0]


def vectors_of(judged: Sequence[JudgedPath], relevance: Relevance) -> Floats:
    """Return the composed vectors of judged paths in their order, float32 (n, d)."""
    return _vectors([j.relation for j in judged], relevance)


def explored(context: Context, found: RetrievalResult, analysis: Analysis, *, phase: str) -> Exploration:
    """Return the phase as it is recorded: what was cut, found, pruned and retained, and why."""
    topics = context.entities(analysis.topics)
    keep = context.settings.pruning.w2
    if context.observers.watch is not None:
        context.observers.watch("cut", found.graph.ids[found.graph.nodes])
        context.observers.watch("pool", _ends(found, found.paths))
        context.observers.watch("kept", _ends(found, [j.relation for j in found.judged[:keep]]))
    evidence = tuple(
        Evidence(
            j.path,
            j.scores,
            phase,
            i < keep,
            "cross-score" if i < keep else "below W_2 by cross-score",
            (j.path.hops[j.relation.hops - 1].object,),
            tuple(sorted(j.origins)),
        )
        for i, j in enumerate(found.judged)
    )
    counts = {
        "edges": len(found.graph),
        "nodes": len(found.graph.nodes),
        "relation_paths": found.explored,
        "pool": len(found.paths),
        "kept": min(keep, len(evidence)),
        "left_out": found.graph.dropped,
        "hubs_not_expanded": found.graph.skipped_hubs,
        **found.reduction,
    }
    nodes = tuple(topics[t].node for t in dict.fromkeys(analysis.topics))
    return Exploration(phase, nodes, analysis.indicator, found.depth, counts, evidence, 0.0, found.graph.truncated)


def _ends(found: RetrievalResult, paths: Sequence[RelationPath]) -> Ids:
    """Return the ids of the classes that relation paths lead to, int64, ascending."""
    ends = [p.ends.astype(np.int64) for p in paths]
    return np.unique(found.hops.ids[np.concatenate(ends)]) if ends else np.empty(0, np.int64)


def _vectors(paths: Sequence[RelationPath], relevance: Relevance) -> Floats:
    """Return composed vectors, computed for paths of one length at a time."""
    out = np.zeros((len(paths), relevance.space.embedder.dimension), np.float32)
    for length in {p.hops for p in paths}:
        rows = [i for i, p in enumerate(paths) if p.hops == length]
        out[rows] = relevance.vectors(np.array([paths[i].codes for i in rows], np.int64))
    return out
