"""Three-factor verification (HydraRAG §4.3) and verdicts (design §6), with the support of sources and texts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from hydra_kg.domain import Entity, Fact, Floats, Hop, Passage, Path, Scores, Source, Verdict
from hydra_kg.extract.mentions import sentences
from hydra_kg.settings import Settings
from hydra_kg.steps.context import Context
from hydra_kg.text.folding import fold

ALPHAS = (1 / 3, 1 / 3, 1 / 3)
"""α_1 … α_3; the paper prints .33."""

SUPPORTED = (0.6, 0.7, 0.8, 0.9)
"""f2 of the published code by the number of supporters beside the path itself, 3 or more together."""

LIKE_RELATION: Final = 0.4  # cosine of two relation texts from which facts that link the same pair say the same


def scores(
    path: Path,
    relevance: float,
    *,
    supporters: Collection[str],
    inside: Collection[int],
    settings: Settings,
    topics: Collection[int] = (),
    likeness: float = 0.0,
    candidates: int = 0,
) -> Scores:
    """Return all numbers of one path.

    f1 = ρ of the best source of the path's weakest hop; f2 = min(|Supp|, W_max) / W_max; f3 = share of Ent(p) in G_q;
    s_ver = Σ α_k f_k; cross = α_cross · s_rel + (1 − α_cross) · s_ver. As in the published code: f2 by
    :data:`SUPPORTED` over the supporters except the path's own; f3 = 1 for paths of the graph, else ``likeness``; cross
    = s_rel if there are at most ``mix_over`` candidates.

    Args:
        relevance: Relevance in [0, 1].
        supporters: Supp(p), own origin included.
        inside: Class ids of G_q before reduction.
        topics: Topic(q). With λ_sem < 1 they count by s_rel = λ_sem · relevance + (1 − λ_sem) · Jaccard(Topic(q),
            Ent(p)).
        likeness: Greatest cosine of a path from text with one of the graph, for f3 as in the code.
        candidates: How many paths are scored together, for ``mix_over``; 0 for many.
    """
    f1 = min((max((f.source.rho for f in s), default=0.0) for h in path.hops for s in stated(h)), default=0.0)
    if path.passage is not None:
        f1 = max(f1, path.passage.source.rho)
    numbers = Scores(_with_topics(path, relevance, topics, settings), f1, f3=_overlap(path, inside))
    return with_support(
        numbers, path, supporters=supporters, likeness=likeness, candidates=candidates, settings=settings
    )


def with_support(
    numbers: Scores,
    path: Path,
    *,
    supporters: Collection[str],
    settings: Settings,
    likeness: float = 0.0,
    candidates: int = 0,
) -> Scores:
    """Return the scores again after more is known of who supports the path.

    f2 changes and with it s_ver and cross; f3 changes too if the setting ``f3`` is ``code``.
    """
    if settings.verification.f2 == "code":
        f2 = SUPPORTED[min(max(len(supporters) - 1, 0), len(SUPPORTED) - 1)]
    else:
        f2 = min(len(supporters), settings.pruning.w_max) / settings.pruning.w_max
    f3 = numbers.f3
    if settings.verification.f3 == "code":
        f3 = 1.0 if path.passage is None else min(max(likeness, 0.0), 1.0)
    verification = sum(a * f for a, f in zip(ALPHAS, (numbers.f1, f2, f3), strict=True))
    alpha = 1.0 if 0 < candidates <= settings.verification.mix_over else settings.verification.alpha_cross
    cross = alpha * numbers.relevance + (1 - alpha) * verification
    return replace(numbers, f2=f2, f3=f3, verification=verification, cross=cross)


def scoring(settings: Settings) -> dict[str, object]:
    """Return the settings by which f2, s_ver and the cross-score of an answer's paths can be computed again."""
    found = settings.verification
    return {
        "w_max": settings.pruning.w_max,
        "alpha_cross": found.alpha_cross,
        "f2": found.f2,
        "mix_over": found.mix_over,
    }


def _overlap(path: Path, inside: Collection[int]) -> float:
    entities = path.entities
    return sum(e.id in inside for e in entities) / len(entities) if entities else 0.0


def _with_topics(path: Path, relevance: float, topics: Collection[int], settings: Settings) -> float:
    if settings.relevance.lambda_sem >= 1:
        return relevance
    own = {e.id for e in path.entities}
    overlap = len(own & set(topics)) / len(own | set(topics)) if own or topics else 0.0
    return settings.relevance.lambda_sem * relevance + (1 - settings.relevance.lambda_sem) * overlap


def stated(hop: Hop) -> tuple[tuple[Fact, ...], ...]:
    """Return the parts of a hop with their facts: the hop, or both legs at a mediator.

    A direct fact states both legs.
    """
    legs: dict[str, list[Fact]] = {}
    direct: list[Fact] = []
    for f in hop.facts:
        if hop.via is not None and hop.via.key in {f.subject, f.object}:
            legs.setdefault(f.object if f.subject == hop.via.key else f.subject, []).append(f)
        else:
            direct.append(f)
    return tuple((*leg, *direct) for leg in legs.values()) or (hop.facts,)


def verdict(supporting: Mapping[str, float], opposing: Mapping[str, float]) -> tuple[Verdict, float, float]:
    """Return (verdict, agreement, amount) from ρ by origin (design §6).

    amount = Σ for + Σ against; agreement = (Σ for − Σ against) / amount. The verdict is ``supported`` from an agreement
    of .5 with two origins and ``single-source`` with one, ``contested`` below .5, ``contradicted`` at −.5 or less, and
    ``unsupported`` if the amount is 0.
    """
    pro, con = sum(supporting.values()), sum(opposing.values())
    amount = pro + con
    if amount == 0:
        return "unsupported", 0.0, 0.0
    agreement = (pro - con) / amount
    if agreement <= -0.5:
        return "contradicted", agreement, amount
    if agreement < 0.5:
        return "contested", agreement, amount
    several = sum(rho > 0 for rho in supporting.values()) > 1
    return ("supported" if several else "single-source"), agreement, amount


def contested_confidence(confidence: float, opinion: tuple[Verdict, float, float]) -> float:
    """Return confidence times (1 + agreement) / 2, how often a majority is right (docs/results/fusion.md)."""
    return opposed(confidence, opinion[1]) if opinion[0] in ("contested", "contradicted") else confidence


def opposed(confidence: float, agreement: float) -> float:
    """Return a confidence times the share of the speaking sources that agree."""
    return round(confidence * (1 + agreement) / 2, 4)


def label(kinds: Iterable[str]) -> str:
    """Return the kinds that verified an answer: ``kg``, ``wiki``, ``web``, ``table``, joined by ``+`` in this order.

    Returns ``llm`` if none of them did.
    """
    found = set(kinds)
    return "+".join(k for k in ("kg", "wiki", "web", "table") if k in found) or "llm"


def back(context: Context, paths: Sequence[Path], codes: Sequence[Sequence[int]]) -> list[Path]:
    """Add to each hop the facts of other sources that link the pair by a similar relation.

    ``codes[i]`` are the hop codes of ``paths[i]``.
    """
    pairs = sorted({_pair(h) for p in paths for h in p.hops})
    if not pairs:
        return list(paths)
    by_pair = linking(context, pairs)
    leg_codes = sorted({leg for found in by_pair.values() for leg, _ in found} | {c for own in codes for c in own})
    vectors = dict(zip(leg_codes, context.space.vectors(np.array(leg_codes, np.int64)), strict=True))
    like = LIKE_RELATION
    return [
        Path(tuple(_widen(h, code, by_pair, vectors, like) for h, code in _aligned(p, c)), p.passage)
        for p, c in zip(paths, codes, strict=True)
    ]


def linking(context: Context, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], list[tuple[int, Fact]]]:
    """Return the allowed facts that link each pair of classes, with the leg from the first to the second."""
    left, right = (np.array([p[k] for p in pairs], np.int64) for k in (0, 1))
    links = context.snapshot.between(left, right)
    allowed = context.segments()
    may = np.ones(len(links.row), np.bool_) if allowed is None else allowed[links.segment]
    stored = context.snapshot.facts(links.segment[may], links.row[may])
    legs = (2 * links.pred.astype(np.int64) + links.forward)[may]
    found: dict[tuple[int, int], list[tuple[int, Fact]]] = {}
    for k, leg, fact in zip(links.pair[may].tolist(), legs.tolist(), stored, strict=True):
        found.setdefault(pairs[k], []).append((leg, fact))
    return found


def _aligned(path: Path, codes: Sequence[int]) -> list[tuple[Hop, int | None]]:
    return [(h, codes[i] if i < len(codes) else None) for i, h in enumerate(path.hops)]


def _pair(hop: Hop) -> tuple[int, int]:
    return hop.subject.id, hop.object.id


def _widen(
    hop: Hop,
    code: int | None,
    by_pair: Mapping[tuple[int, int], list[tuple[int, Fact]]],
    vectors: Mapping[int, Floats],
    least: float,
) -> Hop:
    known = {f.id for f in hop.facts}
    found = [(leg, f) for leg, f in by_pair.get(_pair(hop), ()) if f.id not in known]
    if code is None or not found:
        return hop
    like = {leg: leg == code or float(vectors[leg] @ vectors[code]) >= least for leg in {leg for leg, _ in found}}
    more = tuple(f for leg, f in found if like[leg])
    return replace(hop, facts=hop.facts + tuple(sorted(more, key=lambda f: f.id))) if more else hop


def origins(path: Path, *, independence: str = "origin") -> frozenset[str]:
    """Return the origins (or kinds) of sources with ρ > 0 that state every hop of the path, with both legs."""
    sets = [hop_origins(h, independence=independence) for h in path.hops]
    return frozenset.intersection(*sets) if sets else frozenset()


def hop_origins(hop: Hop, *, independence: str = "origin") -> frozenset[str]:
    """Return the origins (or kinds) of sources with ρ > 0 that state a hop, with both legs."""
    legs = [frozenset(voice(f.source, independence) for f in facts if f.source.rho > 0) for facts in stated(hop)]
    return frozenset.intersection(*legs) if legs else frozenset()


def voice(source: Source, independence: str) -> str:
    """Return what a source counts as: its origin, or its kind."""
    return source.group if independence == "origin" else source.kind


def mentioning(subject: Entity, objects: Sequence[Entity], passages: Sequence[Passage]) -> dict[int, list[Passage]]:
    """Return for each object the sentences about it or the subject that name the other, as passages with spans."""
    texts = [
        (p, title, start, end, f" {fold(p.text[start:end])} ")
        for p, title in ((p, f" {fold(p.title)} ") for p in passages)
        for start, end in sentences(p.text)
    ]
    about = _names(subject)
    found: dict[int, list[Passage]] = {}
    for e in objects:
        mine = _names(e)
        for p, title, start, end, text in texts:
            of_subject = p.node == subject.node.id or any(n == title for n in about)
            of_object = p.node == e.node.id or any(n == title for n in mine)
            if (of_subject and any(n in text for n in mine)) or (of_object and any(n in text for n in about)):
                place = replace(p.locator, page=p.title, start=start, end=end)
                found.setdefault(e.node.id, []).append(replace(p, text=p.text[start:end].strip(), locator=place))
    return found


def _names(entity: Entity) -> tuple[str, ...]:
    folded = {fold(n) for n in (entity.node.name, *entity.aliases)}
    return tuple(sorted(f" {n} " for n in folded if len(n) > 2))
