"""The last stretch from evidence to an Answer: the sentence and the citations."""

from __future__ import annotations

from collections.abc import Sequence

from hydra_kg.domain import AnswerValue, Citation, Evidence


def sentence_for(answers: Sequence[AnswerValue]) -> str:
    """The answers as one line: ``A``, ``A and B``, ``A, B and C``; "" for none."""
    names = [a.name for a in answers]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""


def citations_of(evidence: Sequence[Evidence]) -> tuple[Citation, ...]:
    """One numbered citation for each place in a source that the evidence rests on, in order of first use."""
    places: dict[tuple[str, str], Citation] = {}
    for e in evidence:
        for fact in (f for h in e.path.hops for f in h.facts):
            key = fact.source.name, str(fact.locator)
            if key not in places:
                places[key] = Citation(
                    len(places) + 1, *(fact.source.name, fact.locator), f"{fact.id:015x}", fact.locator.url
                )
        if p := e.path.passage:
            key = p.source.name, str(p.locator)
            if key not in places:
                places[key] = Citation(len(places) + 1, p.source.name, p.locator, "", p.locator.url)
    return tuple(places.values())
