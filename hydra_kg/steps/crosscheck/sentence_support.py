"""Support of paths by sentences (HydraRAG §4.3): a source whose text states a path's last hop is in Supp(p)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from hydra_kg.domain import Evidence, Exploration, Source, TextFinding
from hydra_kg.fusion.truth_discovery.mcc import Record
from hydra_kg.fusion.truth_discovery.multi_level_confidence import UNKNOWN
from hydra_kg.settings import Settings
from hydra_kg.settings.search import Verification
from hydra_kg.steps.verification.verify import voice, with_support
from hydra_kg.text.folding import fold, tokens

Backed = Mapping[tuple[int, str, int], frozenset[str]]
"""By subject, predicate and object of a last hop, the origins (or kinds) that say so in text."""


def backed_hops(evidence: Iterable[Evidence], backing: Sequence[TextFinding], limits: Verification) -> Backed:
    """Return the last hop of each path that a sentence backs by its value, and the sources of the sentences."""
    found: dict[tuple[int, str, int], frozenset[str]] = {}
    for e in evidence:
        if e.path.hops and e.answers:
            own = [f for f in backing if fold(f.value) == fold(e.answers[0].name)]
            if own:
                hop = e.path.hops[-1]
                found[hop.subject.id, hop.predicate, hop.object.id] = frozenset(voices(own, limits))
    return found


def with_text(evidence: Evidence, backed: Backed, settings: Settings) -> Evidence:
    """Add to a path's supporters the sources whose text states its last hop; f2, s_ver and cross change with them."""
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
    """Return explorations with paths reordered by their new scores, selected paths before pruned ones."""
    if not backed:
        return list(explorations)
    return [replace(x, evidence=_ranked(x.evidence, backed, settings)) for x in explorations]


def _ranked(evidence: Sequence[Evidence], backed: Backed, settings: Settings) -> tuple[Evidence, ...]:
    after = [with_text(e, backed, settings) for e in evidence]
    if all(a is b for a, b in zip(after, evidence, strict=True)):
        return tuple(evidence)
    return tuple(sorted(after, key=lambda e: (not e.kept, -e.scores.cross)))


_TEXT_COPIED: Final = 0.8  # share of common words from which one sentence is a copy of another, 0 to 1


def voices(findings: Iterable[TextFinding], limits: Verification) -> dict[str, TextFinding]:
    """Return the clearest finding of each independent origin (or kind); equal words count as one."""
    found: dict[str, TextFinding] = {}
    sentences: list[frozenset[str]] = []
    for f in findings:
        who, words = voice(f.passage.source, limits.independence), frozenset(tokens(f.passage.text))
        copied = any(_shared(words, other) >= _TEXT_COPIED for other in sentences)
        if f.passage.source.rho > 0 and who not in found and not copied:
            found[who] = f
            sentences.append(words)
    return found


def trust(source: Source, records: Mapping[str, Record]) -> float:
    """Return a source's weight: ρ times its confirmation relative to the prior (Pr^h / ½)."""
    known = records.get(source.name)
    return source.rho * (known[0] / UNKNOWN if known is not None else 1.0)


def weight(sources: Sequence[Source], records: Mapping[str, Record]) -> float:
    """Return the weight of a side: the sum over its independent origins, each by its most trusted source."""
    return sum(best_by_origin(sources, records, {}).values())


def best_by_origin(
    sources: Sequence[Source], records: Mapping[str, Record], representatives: Mapping[str, str]
) -> dict[str, float]:
    """Return the best trust of each independent origin.

    ``representatives`` gives, by origin, the origin that speaks for a copy.
    """
    best: dict[str, float] = {}
    for s in sources:
        who = representatives.get(s.group, s.group)
        best[who] = max(best.get(who, 0.0), trust(s, records))
    return best


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0
