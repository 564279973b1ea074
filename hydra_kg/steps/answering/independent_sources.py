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
    """Replace origins of copies by a representative, and return those by origin; ``reference``: contesting finds."""
    own = tuple(evidence)
    every = (*own, *reference)
    representatives = copied_origins(context.snapshot, [e.path for e in every], ends=[e.answers for e in every])
    if not representatives:
        return own, representatives
    return tuple(
        replace(e, origins=tuple(sorted({representatives.get(o, o) for o in e.origins}))) for e in own
    ), representatives


def rank_by_votes(context: Context, evidence: Sequence[Evidence], votes: Sequence[float]) -> list[int]:
    """Return the order of evidence (a path per answer); if no origin states two answers, by votes, then by origins
    (``verification.rivals``)."""
    places = list(range(len(evidence)))
    stating = [o for e in evidence for o in e.origins]
    if len(evidence) < 2 or len(set(stating)) < len(stating):
        return places
    weights = [0.0] * len(places)
    if context.settings.verification.rivals:
        weights = [float(len(e.origins)) for e in evidence]
    return sorted(places, key=lambda p: (-round(votes[p], 6), -weights[p]))
