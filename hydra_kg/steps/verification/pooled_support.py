"""Supp(p) over one pool (HydraRAG §4.3): relation, value, text and web paths together support each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from hydra_kg.domain import Evidence, Floats, Hop, Ids, Path, Scores
from hydra_kg.steps.context import Context
from hydra_kg.steps.relevance.path_relevance import path_text
from hydra_kg.steps.verification.support import LIKE_RELATION, hop_origins
from hydra_kg.steps.verification.verify import with_support
from hydra_kg.util.fast_dataclass import dataclass, replace
from hydra_kg.util.recording import step

Pair = frozenset[int]


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
    vectors = _vectors(context, pool) if by_path and pool else None
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


def _vectors(context: Context, pool: Sequence[Member]) -> Floats:
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
