"""Check whether a place lies in another one, and whether a person is from a country, as a claim says."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from hydra_kg.plan import model as m
from hydra_kg.steps.operators.claims.claimed_kinds import namesakes
from hydra_kg.steps.operators.operand_port import Sets
from hydra_kg.steps.operators.relations.noun_filter import kinds_of_thing
from hydra_kg.steps.operators.relations.place_filter import lying
from hydra_kg.steps.operators.results.executed_plan import AssertionResult, Truth
from hydra_kg.steps.operators.results.found_entities import ThingSet

LIES: Final = re.compile(r"(?:(?:located|locates|situated|lies|lie|lay|found|stands|stand) )?in _")
_SMALL: Final = frozenset({"city", "building"})
"""Kinds of what lies in one country: a river may flow through several."""


def located(sets: Sets, op: m.Among) -> AssertionResult | None:
    """Return yes if something of the name lies in the area, no if its likeliest place lies elsewhere, else None."""
    of, context = op.of, sets.context
    if not isinstance(op.item, m.Named) or not isinstance(of, m.Related) or not LIES.fullmatch(_without_noun(of)):
        return None
    area = sets.best(of.of)
    if area is None or len(area) != 1:
        return None
    nodes = namesakes(context, op.item)
    found = lying(context, ThingSet(np.array(sorted(nodes), np.int64)), area)
    if found is None:
        return None
    known = context.entities(nodes)
    if (node := next((n for n in nodes if n in found.inside.ids), None)) is not None:
        legs, where = found.inside.legs(node), area.words
    elif (node := next((n for n in nodes if n in found.elsewhere), None)) is not None:
        if not kinds_of_thing(known[node]) & _SMALL:
            return None
        legs = found.elsewhere[node]
        where = context.entities([legs[-1].object])[legs[-1].object].node.name
    else:
        return None
    truth: Truth = "yes" if node in found.inside.ids else "no"
    words = f"{known[node].node.name} in {where}"
    step = m.Step("located", f"{op.item.text} in {area.words}: {truth}", len(nodes), len(found.inside))
    stated = f"stated{'' if truth == 'yes' else ' otherwise'}: {words}"
    return AssertionResult(truth, stated, ((legs, node),), (step,))


def _without_noun(of: m.Related) -> str:
    """Return the phrase without the noun before it: "city in _"."""
    return of.phrase.removeprefix(f"{of.noun} ") if of.noun else of.phrase


FROM: Final = "from _"

_WAYS: Final = ("citizen of _", "born in _", "formed in _", "grew up in _")
"""What says that somebody or something is from a place; the first two are what may deny it together."""


def hails(op: m.Among, judge: Callable[[m.Among], AssertionResult]) -> AssertionResult | None:
    """Return yes for one way of being from a place, no for citizenship and birth elsewhere, else None."""
    of = op.of
    if not isinstance(of, m.Related) or of.phrase != FROM or of.noun or not isinstance(op.item, m.Named):
        return None
    found = []
    for phrase in _WAYS:
        found.append(judge(replace(op, of=replace(of, phrase=phrase))))
        if found[-1].truth == "yes":
            return found[-1]
    citizen, born = found[:2]
    return citizen if citizen.truth == born.truth == "no" else None
