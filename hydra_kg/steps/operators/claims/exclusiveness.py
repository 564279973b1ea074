"""Check whether something is true of nothing else, as a claim says: "_ is spoken only in _"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from hydra_kg.execution.evidence_hops import Leg
from hydra_kg.plan import model as m
from hydra_kg.steps.graph.cut_hops import reversed_code
from hydra_kg.steps.operators.claims.claim_denial import called_alike, name_of, plainly, within_one_another
from hydra_kg.steps.operators.operand_port import Sets
from hydra_kg.steps.operators.relations.noun_filter import is_former
from hydra_kg.steps.operators.relations.place_filter import lines
from hydra_kg.steps.operators.relations.relation_matching import follow
from hydra_kg.steps.operators.results import thresholds
from hydra_kg.steps.operators.results.executed_plan import AssertionResult
from hydra_kg.steps.operators.results.found_entities import ThingSet

_LIES: Final = re.compile(r"(?:(?:located|locates|situated|lies|lie|lay|found|stands|stand) )?in _")


def only(sets: Sets, op: m.Only) -> AssertionResult:
    """Return no if something else of the kind is stated as well, else unknown: sources need not state all."""
    item, of = next((f for f in sets.readings(op.of.item) if len(f)), None), op.of.of
    asked = sets.best(of.of) if isinstance(of, m.Related) else None
    if item is not None and asked is not None and isinstance(of, m.Related):
        for node, legs in (*_related(sets, of, item), *_places(sets, of, item)):
            one = np.array([node], np.int64)
            same = node in asked.ids or within_one_another(sets, asked.ids, one)
            former = is_former(sets.context.entities([node])[node])  # Istanbul lay in the Ottoman Empire
            if not same and not former and called_alike(sets, asked.ids, one):
                words = f"stated otherwise: {item.words}: also {name_of(sets, node)}"
                return AssertionResult("no", words, ((legs, node),), (m.Step("only", words, 1, 1),))
    return AssertionResult("unknown", "no source says that there is nothing else", understood=False)


def _related(sets: Sets, of: m.Related, item: ThingSet) -> Iterator[tuple[int, tuple[Leg, ...]]]:
    """Yield the things that have the claimed relation to a thing, each with the hop to it."""
    found, base = sets.best(of), sets.context.space.base
    sure = thresholds.DENIES_RELEVANCE
    if found is None or not found.codes or found.surety.relevance < sure or not plainly(sets, of, found):
        return
    every = follow(sets.context, item, tuple(reversed_code(c, base) for c in found.codes))
    if every is not None:
        yield from ((n, every.legs(n)) for n in every.ids.tolist())


def _places(sets: Sets, of: m.Related, item: ThingSet) -> Iterator[tuple[int, tuple[Leg, ...]]]:
    """Yield the places in which a thing lies, if the claim says that it lies somewhere."""
    if _LIES.fullmatch(of.phrase):
        around = lines(sets.context, item.ids.tolist())
        yield from ((leg.object, (leg,)) for n in item.ids.tolist() for leg in around.get(n, ()))
