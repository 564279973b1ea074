"""Check whether the things of a claim exist ("_ wrote several novels"), and that it calls no person a work."""

from __future__ import annotations

from typing import Final

import numpy as np

from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import family_stem
from hydra_kg.plan import model as m
from hydra_kg.steps.operators.claims.claim_wording import stated_by_name
from hydra_kg.steps.operators.operand_port import Sets
from hydra_kg.steps.operators.relations.noun_filter import kinds_of_thing
from hydra_kg.steps.operators.results import thresholds
from hydra_kg.steps.operators.results.executed_plan import AssertionResult
from hydra_kg.steps.operators.results.found_entities import listed, step_of

_MAKING: Final = list_words("making_stem")
_SHOWN: Final = 3
"""Things whose ways are evidence."""
_SOME_KINDS: Final = 0.5  # surety of kinds over which a claim of some things is true


def some(sets: Sets, op: m.Some) -> AssertionResult:
    """Return yes if a matching relation states as many as are claimed, else unknown: sources need not state all."""
    if op.named and isinstance(op.of, m.Related):
        unstated = f"nothing that is stated of it is called {op.of.noun}"
        return stated_by_name(sets, op.of) or AssertionResult("unknown", unstated, understood=False)
    found = sets.best(op.of)
    if found is None:
        return AssertionResult("unknown", "no relation of these sources states it", understood=False)
    known = sets.context.entities(found.ids.tolist())
    distinct = {known[n].node.name.casefold(): n for n in reversed(found.ids.tolist())}
    shown = list(distinct.values())[::-1]
    step = step_of("some", found.words, len(found), len(shown))
    words = f"{len(shown)} stated: {found.words}: {listed([known[n].node.name for n in shown])}"
    steps = (*found.steps, step)
    enough = len(shown) >= op.least and not found.unmet
    if not enough or found.surety.relevance < thresholds.DENIES_RELEVANCE or found.surety.kinds <= _SOME_KINDS:
        return AssertionResult("unknown", found.reason or words, (), steps, found.surety, found.unmet)
    ways = tuple((found.legs(n), n) for n in shown[: max(op.least, _SHOWN)])
    return AssertionResult("yes", words, ways, steps, found.surety)


def made_person(sets: Sets, op: m.Among) -> AssertionResult | None:
    """Return that it is not stated if what was written, painted or composed is a person, and the maker is not."""
    of = op.of
    words = of.phrase.split() if isinstance(of, m.Related) else []
    if not isinstance(of, m.Related) or words[-1:] != ["_"] or family_stem(words[0]) not in _MAKING:
        return None
    ends = [sets.best(op.item), sets.best(of.of)]
    made, maker = ends if "by" in words else ends[::-1]
    if made is None or maker is None or not len(made) or not len(maker):
        return None
    known = sets.context.entities(np.concatenate([made.ids, maker.ids]).tolist())
    kinds = [frozenset().union(*(kinds_of_thing(known[n]) for n in end.ids.tolist())) for end in (made, maker)]
    if "person" not in kinds[0] or "person" in kinds[1]:
        return None
    return AssertionResult("unknown", f"the sources call {made.words} a person, no work of {maker.words}")
