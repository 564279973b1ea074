"""Supp(p) (HydraRAG §4.3): the independent origins that support a path, by stored facts and by passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from hydra_kg.domain import Entity, Fact, Floats, Hop, Passage, Path, Source
from hydra_kg.extract.path_rules import sentences
from hydra_kg.steps.context import Context
from hydra_kg.steps.verification.verify import stated
from hydra_kg.text.folding import fold

LIKE_RELATION: Final = 0.4  # cosine of two relation texts from which facts that link the same pair say the same


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
