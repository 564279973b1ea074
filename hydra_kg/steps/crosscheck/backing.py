"""What sentences add to the support of paths (HydraRAG §4.3): whoever says a path's last hop in text is in Supp(p)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from hydra_kg.domain import Evidence, Exploration, TextFinding
from hydra_kg.settings import Settings
from hydra_kg.settings.search import Verification
from hydra_kg.steps.crosscheck.voices import voices
from hydra_kg.steps.verification.verify import with_support
from hydra_kg.text.folding import fold

Backed = Mapping[tuple[int, str, int], frozenset[str]]
"""By subject, predicate and object of a last hop, the origins (or kinds) that say so in text."""


def backed_hops(evidence: Iterable[Evidence], backing: Sequence[TextFinding], limits: Verification) -> Backed:
    """Of each path that a sentence backs by its value, the last hop and who says it."""
    found: dict[tuple[int, str, int], frozenset[str]] = {}
    for e in evidence:
        if e.path.hops and e.answers:
            own = [f for f in backing if fold(f.value) == fold(e.answers[0].name)]
            if own:
                hop = e.path.hops[-1]
                found[hop.subject.id, hop.predicate, hop.object.id] = frozenset(voices(own, limits))
    return found


def with_text(evidence: Evidence, backed: Backed, settings: Settings) -> Evidence:
    """The path with who says its last hop in text among its supporters, and f2, s_ver and cross by that."""
    if not evidence.path.hops or len(evidence.path.hops) > 1:
        return evidence
    hop = evidence.path.hops[-1]
    more = backed.get((hop.subject.id, hop.predicate, hop.object.id), frozenset()) - set(evidence.origins)
    if not more:
        return evidence
    origins = tuple(sorted({*evidence.origins, *more}))
    scores = with_support(evidence.scores, evidence.path, supporters=origins, settings=settings)
    return replace(evidence, origins=origins, scores=scores)


def explored_with_text(explorations: Sequence[Exploration], backed: Backed, settings: Settings) -> list[Exploration]:
    """Return explorations with paths reordered by their new scores, kept ones before pruned ones."""
    if not backed:
        return list(explorations)
    return [replace(x, evidence=_ranked(x.evidence, backed, settings)) for x in explorations]


def _ranked(evidence: Sequence[Evidence], backed: Backed, settings: Settings) -> tuple[Evidence, ...]:
    after = [with_text(e, backed, settings) for e in evidence]
    if all(a is b for a, b in zip(after, evidence, strict=True)):
        return tuple(evidence)
    return tuple(sorted(after, key=lambda e: (not e.kept, -e.scores.cross)))
