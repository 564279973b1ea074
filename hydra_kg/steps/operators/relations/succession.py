"""Who comes after whom where sources say it: successors, ordinals of offices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from hydra_kg.plan import model as m
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.relations.relating import relate
from hydra_kg.steps.operators.results.found import ThingSet
from hydra_kg.steps.operators.values.attributes import Attribute, attribute_of

ORDINAL: Final = 0.75
"""Cosine of "president number" and a property from which it numbers what is asked for."""

NUMBERED: Final = 0.5
"""Share of the things that must have a number."""


def ordinals(
    context: Context, base: ThingSet, op: m.Extreme | m.Adjacent
) -> tuple[Mapping[int, float], Attribute] | None:
    """The numbers that sources give the things in their order ("presidency number"), None where they do not number
    most of them, or number them in no order."""
    noun = base.words.split(" ")[0] if base.words else ""
    wording = f"{noun} number; ordinal number of {noun}; series ordinal"
    attribute = attribute_of(context, base, wording, "number")
    if attribute is None or attribute.fit * 0.8 < ORDINAL * 0.8 or len(attribute.values) < NUMBERED * len(base):
        return None
    numbers = {n: t.span.low for n, t in attribute.values.items()}
    if len(set(numbers.values())) < 0.9 * len(numbers) or min(numbers.values()) > 3:
        return None
    return numbers, attribute


def adjacent_items(context: Context, item: ThingSet, op: m.Adjacent, among: Sequence[ThingSet] = ()) -> list[ThingSet]:
    """Successors (or predecessors) of the item as stated, those in a set or of a kind where that is asked for."""
    phrase = "successor of _" if op.step > 0 else "predecessor of _"
    stated = relate(context, item, m.Related(op.item, phrase, op.noun))
    out = []
    for f in stated:
        if f.surety.relevance < 0.5:
            continue
        if not among:
            out.append(f)
        for base in among:
            keep = np.isin(f.ids, base.ids)
            if keep.any():
                out.append(f.only(keep, score=f.score + base.score, surety=f.surety.worst(base.surety)))
    return out
