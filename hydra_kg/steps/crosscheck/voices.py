"""Independent sources on either side of a conflict, weighted by trust; copied sentences count once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from hydra_kg.domain import Source, TextFinding
from hydra_kg.fusion.truth_discovery.confidence import UNKNOWN
from hydra_kg.fusion.truth_discovery.mcc import Record
from hydra_kg.settings.search import Verification
from hydra_kg.steps.verification.support import voice
from hydra_kg.text.folding import tokens

_TEXT_COPIED: Final = 0.8  # share of common words from which one sentence is a copy of another, 0 to 1


def voices(findings: Iterable[TextFinding], limits: Verification) -> dict[str, TextFinding]:
    """Return each independent origin's (or kind's) clearest finding; equal words are one voice."""
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
    """What a side weighs: its independent origins by their most trusted source, together."""
    return sum(best_by_origin(sources, records, {}).values())


def best_by_origin(
    sources: Sequence[Source], records: Mapping[str, Record], representatives: Mapping[str, str]
) -> dict[str, float]:
    """Return the best trust per independent origin; ``representatives``: speakers for copies, by origin."""
    best: dict[str, float] = {}
    for s in sources:
        who = representatives.get(s.group, s.group)
        best[who] = max(best.get(who, 0.0), trust(s, records))
    return best


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0
