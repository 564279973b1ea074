"""See that a claim calls nobody a work of something else: "Pride and Prejudice wrote Jane Austen"."""

from __future__ import annotations

from typing import Final

import numpy as np

from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import family_stem
from hydra_kg.plan import model as m
from hydra_kg.steps.operators.operand_port import Sets
from hydra_kg.steps.operators.relations.noun_filter import kinds_of_thing
from hydra_kg.steps.operators.results.executed_plan import AssertionResult

_MAKING: Final = list_words("making_stem")


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
