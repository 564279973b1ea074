"""Check an answer from text against graphs and tables: the same relation of the only thing of that name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from hydra_kg.domain import Analysis, Source
from hydra_kg.fusion.conflicts.conflict import is_less_specific
from hydra_kg.fusion.gathering.store_claims import ClaimStatement, statements
from hydra_kg.steps.answering.results import Conclusion, value_of
from hydra_kg.steps.context import Context
from hydra_kg.steps.crosscheck.named_values import same_day, same_number
from hydra_kg.steps.crosscheck.sentence_findings import TEXT_BETWEEN
from hydra_kg.steps.crosscheck.value_sentences import ComparedValue, as_year, compared_value
from hydra_kg.util.recording import step

FACTUAL: Final = frozenset({"kg", "table"})
"""Kinds of source that state facts."""

_NAMED: Final = 6  # classes of one name that are looked at
_MOST: Final = 2_000  # facts of a thing that are read


@step("check_facts")
def facts_checked(context: Context, analysis: Analysis, end: Conclusion) -> Conclusion:
    """Check a conclusion against the single values that facts state of the named thing."""
    if not context.settings.verification.text or len(end.answers) != 1 or not rests_on_text(end):
        return end
    hops = end.evidence[0].path.hops
    if len(hops) != 1:
        return end
    stated = _stated(context, hops[0].subject.name)
    claims = _of_what_was_asked(context, (analysis.indicator, hops[0].text), stated)
    if len({s.value.name for s in claims}) != 1:  # nothing, or a relation of several values
        return end
    ours, theirs = (compared_value(v, {}) for v in (end.answers[0], value_of(claims[0].value, 0.0)))
    same = _same(ours, theirs)
    if same is None:
        return end
    sources: dict[str, Source] = {s.fact.source.group: s.fact.source for s in claims}
    weights = {origin: source.rho for origin, source in sources.items()}
    if same:
        kinds = end.kinds | {s.kind for s in sources.values()}
        return replace(end, supporting=end.supporting | weights, kinds=kinds)
    says = tuple(f"{s.name} says {claims[0].value.name}" for s in sources.values())
    return replace(end, opposing=end.opposing | weights, dissent=(*end.dissent, *says))


def rests_on_text(end: Conclusion) -> bool:
    """Return True if there is a path to the first answer, and no graph or table states a hop of it."""
    hops = end.evidence[0].path.hops if end.evidence else ()
    return bool(hops) and not any(f.source.kind in FACTUAL for h in hops for f in h.facts)


def _stated(context: Context, name: str) -> Sequence[ClaimStatement]:
    """Return what facts state of the only thing with a name."""
    hits = context.snapshot.find([name], limit=_NAMED)[0]
    nodes = [h.node for h in hits if h.how in {"name", "alias"} and h.degree <= _MOST]
    found = [s for s in statements(context.snapshot, nodes, may=context.may) if s.fact.source.kind in FACTUAL]
    return found if len({s.entity for s in found}) == 1 else ()


def _of_what_was_asked(
    context: Context, wordings: Sequence[str], stated: Sequence[ClaimStatement]
) -> list[ClaimStatement]:
    """Return the values of the attribute that is nearest to what was asked, if it is near enough."""
    names = sorted({s.attribute for s in stated})
    if not names:
        return []
    vectors = context.space.embedder.embed([*wordings, *names])
    likes = (vectors[len(wordings) :] @ vectors[: len(wordings)].T).max(axis=1).tolist()
    like, best = max(zip(likes, names, strict=True))
    return [s for s in stated if s.attribute == best] if like >= TEXT_BETWEEN else []


def _same(ours: ComparedValue, theirs: ComparedValue) -> bool | None:
    """Return whether two values are the same, or None if their sorts differ or one only says less."""
    if ours.day is not None or theirs.day is not None:
        ours, theirs = as_year(ours), as_year(theirs)
    if ours.day is not None and theirs.day is not None:
        return same_day(ours.day, theirs.day)
    if ours.number is not None and theirs.number is not None:
        return same_number(ours.number, theirs.number)
    if any(v.day is not None or v.number is not None for v in (ours, theirs)):
        return None
    if ours.naming.is_name(theirs.name) or theirs.naming.is_name(ours.name):
        return True
    parts = [set(v.name.casefold().split()) for v in (ours, theirs)]
    less = is_less_specific(ours.name, theirs.name) or is_less_specific(theirs.name, ours.name)
    return None if less or parts[0] <= parts[1] or parts[1] <= parts[0] else False
