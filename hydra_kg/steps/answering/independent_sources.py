"""Merges copies into one independent source, and ranks answers of equal score by independent sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from hydra_kg.domain import Evidence
from hydra_kg.fusion.dependence.question_copies import copied_origins
from hydra_kg.steps.context import Context


def merge_copies(
    context: Context, evidence: Iterable[Evidence], *, reference: Sequence[Evidence] = ()
) -> tuple[tuple[Evidence, ...], Mapping[str, str]]:
    """Replaces the origins of copies by one representative each, so that copies do not count as independent support;
    also gives the representative by origin. ``reference``: what else was found, which may contest it."""
    own = tuple(evidence)
    every = (*own, *reference)
    representatives = copied_origins(context.snapshot, [e.path for e in every], ends=[e.answers for e in every])
    if not representatives:
        return own, representatives
    return tuple(
        replace(e, origins=tuple(sorted({representatives.get(o, o) for o in e.origins}))) for e in own
    ), representatives


def rank_by_votes(context: Context, evidence: Sequence[Evidence], votes: Sequence[float]) -> list[int]:
    """The places of the evidence, one path an answer, in its order; but where no origin states two of the answers, it
    is no list: then the greatest vote comes first, and of equal ones what weighs most by the origins that state it
    (``verification.rivals``)."""
    places = list(range(len(evidence)))
    stating = [o for e in evidence for o in e.origins]
    if len(evidence) < 2 or len(set(stating)) < len(stating):
        return places
    weights = [0.0] * len(places)
    if context.settings.verification.rivals:
        weights = [float(len(e.origins)) for e in evidence]
    return sorted(places, key=lambda p: (-round(votes[p], 6), -weights[p]))
