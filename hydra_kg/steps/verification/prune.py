"""Pruning (HydraRAG §4.3, Algorithm 4): W_1 by relevance, W_2 by cross-score with verification, W_max by the agent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from hydra_kg.domain import Analysis, Evidence, Exploration, Floats, Hop, Ids, Index, Path, Scores
from hydra_kg.steps.context import Context
from hydra_kg.steps.relevance.path_relevance import Relevance, embeds_text, path_text, text_relevance, unit
from hydra_kg.steps.retrieval.graph_retrieval import JudgedPath, RetrievalResult
from hydra_kg.steps.retrieval.path_instances import PathInstance, instances, materialise
from hydra_kg.steps.retrieval.topic_constraint import RelationPath
from hydra_kg.steps.verification.verify import LIKE_RELATION, back, hop_origins, origins, scores, with_support
from hydra_kg.util.fast_dataclass import dataclass, replace
from hydra_kg.util.recording import step

Pair = frozenset[int]


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
            scores(p, like, supporters=o, inside=found.inside, settings=settings, topics=topics, candidates=len(pool)),
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


@dataclass(frozen=True, slots=True)
class Member:
    """A path of the pool with its own sources (origins or kinds), and its scores without the others."""

    path: Path
    own: frozenset[str]
    scores: Scores


@dataclass(frozen=True, slots=True)
class Supported:
    """A member with Supp(p), and the greatest cosine of a path from text with one of the graph (0: not looked for)."""

    supporters: frozenset[str]
    likeness: float
    scores: Scores


def member(evidence: Evidence) -> Member:
    """Return a member for a path that is evidence already."""
    return Member(evidence.path, frozenset(evidence.origins), evidence.scores)


@step("support")
def supported(context: Context, pool: Sequence[Member]) -> list[Supported]:
    """Return the members with the support of others added, as the setting ``verification.support`` says.

    ``paths`` adds the supporters of paths of cosine ≥ γ (the paper). ``facts`` adds the passages that link the ends of
    each hop in similar words; it is the default, because a rival path is near too. ``both`` adds both.
    """
    settings = context.settings
    by_path = settings.verification.support in {"paths", "both"}
    vectors = _pool_vectors(context, pool) if by_path and pool else None
    supporters = [set(m.own) for m in pool]
    likeness = [0.0] * len(pool)
    if vectors is not None:
        for mine, near in zip(supporters, _near(context, vectors), strict=True):
            mine.update(*(pool[j].own for j in near.tolist()))
        if settings.verification.f3 == "code":
            likeness = _likeness(context, pool, vectors)
    if settings.verification.support in {"facts", "both"}:
        for mine, agreeing in zip(supporters, _agreeing(context, pool), strict=True):
            mine |= agreeing
    return [
        Supported(
            frozenset(s),
            like,
            with_support(m.scores, m.path, supporters=s, likeness=like, candidates=len(pool), settings=settings),
        )
        for m, s, like in zip(pool, supporters, likeness, strict=True)
    ]


def with_supporters(evidence: Evidence, found: Supported) -> Evidence:
    """Return evidence with its support in the pool; a path that is not checked gets none."""
    if not evidence.path.checked:
        return evidence
    return replace(evidence, scores=found.scores, origins=tuple(sorted(found.supporters)))


def _pool_vectors(context: Context, pool: Sequence[Member]) -> Floats:
    """Return h(p) of each path, with its names: float32 (n, d)."""
    return context.space.embedder.embed([path_text(m.path) for m in pool])


def _near(context: Context, vectors: Floats) -> list[Ids]:
    index = context.services.new_index()
    index.add(np.arange(len(vectors), dtype=np.int64), vectors)
    return [ids for ids, _ in index.within(vectors, context.settings.verification.gamma)]


def _likeness(context: Context, pool: Sequence[Member], vectors: Floats) -> list[float]:
    """Return the greatest cosine of each path from text with one of the graph."""
    graph = [i for i, m in enumerate(pool) if m.path.passage is None]
    text = [i for i, m in enumerate(pool) if m.path.passage is not None]
    found = [0.0] * len(pool)
    if graph and text:
        best = (vectors[text] @ vectors[graph].T).max(axis=1)
        for i, cosine in zip(text, best.tolist(), strict=True):
            found[i] = max(0.0, cosine)
    return found


def _agreeing(context: Context, pool: Sequence[Member]) -> list[frozenset[str]]:
    """Return who states each hop of graph paths, including passages; () for paths from text."""
    from_text: dict[Pair, list[tuple[str, frozenset[str]]]] = {}
    for m in pool:
        if m.path.passage is not None:
            for h in m.path.hops:
                from_text.setdefault(_pair(h), []).append((h.text, m.own))
    if not from_text:
        return [frozenset()] * len(pool)
    matched = [m if m.path.passage is None and any(_pair(h) in from_text for h in m.path.hops) else None for m in pool]
    phrases = sorted(
        {p for said in from_text.values() for p, _ in said} | {h.text for m in matched if m for h in m.path.hops}
    )
    rows = dict(zip(phrases, context.space.embedder.embed(phrases), strict=True))
    like = LIKE_RELATION

    def who(hop: Hop) -> frozenset[str]:
        said = from_text.get(_pair(hop), ())
        own = (w for phrase, w in said if float(rows[phrase] @ rows[hop.text]) >= like)
        stated = hop_origins(hop, independence=context.settings.verification.independence)
        return stated.union(*own)

    return [_by_all(map(who, m.path.hops)) if m else frozenset() for m in matched]


def _by_all(hops: Iterable[frozenset[str]]) -> frozenset[str]:
    sets = list(hops)
    return frozenset.intersection(*sets) if sets else frozenset()


def _pair(hop: Hop) -> Pair:
    return frozenset((hop.subject.id, hop.object.id))
