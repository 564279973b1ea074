"""Check whether a claim's own words name what is stated: "_ died of a stroke", "_ won an Academy Award"."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from hydra_kg.citations import label_of
from hydra_kg.domain import Entity, Ids
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.relation_phrases import suggest_relations
from hydra_kg.plan import model as m
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.operand_port import Sets
from hydra_kg.steps.operators.relations.noun_filter import heads_of
from hydra_kg.steps.operators.results import thresholds
from hydra_kg.steps.operators.results.executed_plan import AssertionResult
from hydra_kg.steps.operators.results.found_entities import ThingSet, step_of
from hydra_kg.steps.retrieval.entity_types import head
from hydra_kg.text.folding import fold

_MOST: Final = 200
"""Things whose names are looked at."""

_SORTS: Final = list_words("sort_in_name")
"""Nouns that names of what is of that sort have or leave out: "jazz music", "horror film"."""


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


def awards_named_after(context: Context, awards: Ids, things: Ids) -> Ids:
    """Return those of ``things`` that are kinds of one of the awards by name."""
    known = context.entities([*awards.tolist(), *things.tolist()])
    names = frozenset[str]().union(*(own_names(known[n]) for n in awards.tolist() if n in known))
    return np.array([n for n in things.tolist() if n in known and is_award_called(known[n], names)], np.int64)


def is_award_called(entity: Entity, names: frozenset[str]) -> bool:
    """Return True if a thing is an award with one of the names, for something or in something."""
    own = [fold(name) for name in (entity.node.name, *entity.aliases)]
    begun = any(called.startswith((f"{name} for ", f"{name} in ")) for name in names for called in own)
    return begun and "award" in heads_of(entity)


def own_names(entity: Entity) -> frozenset[str]:
    """Return all names of a thing, each also without the noun for its sort."""
    names = {fold(label_of(name)) for name in (entity.node.name, *entity.aliases)}
    return frozenset().union(*map(name_forms, names))


def name_forms(text: str) -> frozenset[str]:
    """Return a name as it is written, in the singular, and without the noun for its sort."""
    words = fold(text).split()
    if not words:
        return frozenset()
    short = " ".join(words[:-1]) if words[-1] in _SORTS else ""
    return frozenset({" ".join(words), " ".join((*words[:-1], head(words[-1]))), *((short,) if short else ())})
