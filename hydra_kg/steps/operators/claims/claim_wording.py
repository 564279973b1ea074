"""Check whether a claim's own words name what is stated: "_ died of a stroke", "_ is a horror film"."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from hydra_kg.language.relation_phrases import suggest_relations
from hydra_kg.plan import model as m
from hydra_kg.steps.operators.claims.award_names import is_award_called, name_forms, own_names
from hydra_kg.steps.operators.operand_port import Sets
from hydra_kg.steps.operators.results import thresholds
from hydra_kg.steps.operators.results.executed_plan import AssertionResult
from hydra_kg.steps.operators.results.found_entities import ThingSet, step_of

_MOST: Final = 200
"""Things whose names are looked at."""


def stated_by_name(sets: Sets, of: m.Related, names: frozenset[str] = frozenset()) -> AssertionResult | None:
    """Return yes if the relation leads to something with exactly the name that the claim gives, else None.

    ``names`` are other names of what the claim names.
    """
    readings = sets.readings(replace(of, noun=""))
    for found in readings:
        near = found.score >= readings[0].score - thresholds.HOLDS_NEAR
        if not near or found.surety.relevance < thresholds.HOLDS_RELEVANCE:
            continue
        if (node := _called(sets, found, names | name_forms(of.noun))) is not None and found.legs(node):
            words = f"stated: {found.words} {sets.context.entities([node])[node].node.name}"
            steps = (*found.steps, step_of("some", words, len(found), 1))
            return AssertionResult("yes", words, ((found.legs(node), node),), steps, found.surety)
    return None


def won(sets: Sets, op: m.Among) -> AssertionResult | None:
    """Return yes for an award of the claim's name or one of its kinds (Best Actress is an Academy Award), else None."""
    of = op.of
    if not isinstance(of, m.Related) or not isinstance(of.of, m.Named) or not isinstance(op.item, m.Named):
        return None
    verb, _, rest = of.phrase.partition(" ")
    if rest != "_" or not any("award received" in group for group in suggest_relations(of.phrase)):
        return None
    named = own_names(sets.context.entities([of.of.node])[of.of.node])
    return stated_by_name(sets, m.Related(op.item, f"_ {verb}", of.of.text), named)


def _called(sets: Sets, found: ThingSet, names: frozenset[str]) -> int | None:
    known = sets.context.entities(found.ids[:_MOST].tolist())
    return next((n for n, e in known.items() if names & own_names(e) or is_award_called(e, names)), None)
