"""Successors and ordinals as sources state them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from hydra_kg.plan import model as m
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.relations.relation_matching import relate
from hydra_kg.steps.operators.results.found_entities import ThingSet
from hydra_kg.steps.operators.values.attributes import Attribute, attribute_of

_ORDINAL: Final = 0.75  # fit from which a property numbers what is put in order
_ORDINAL_SHARE: Final = 0.5  # share of the set that must have a number
_ORDINAL_DISTINCT: Final = 0.9  # share of those numbers that must be distinct
_ORDINAL_FIRST: Final = 3  # largest number with which an order may begin
_SUCCESSOR: Final = 0.5  # surety from which a relation says who comes next


def ordinals(
    context: Context, base: ThingSet, op: m.Extreme | m.Adjacent
) -> tuple[Mapping[int, float], Attribute] | None:
    """Return the things' stated numbers ("presidency number"), None if mostly absent or unordered."""
    noun = base.words.split(" ")[0] if base.words else ""
    wording = f"{noun} number; ordinal number of {noun}; series ordinal"
    attribute = attribute_of(context, base, wording, "number")
    if attribute is None or attribute.fit < _ORDINAL or len(attribute.values) < _ORDINAL_SHARE * len(base):
        return None
    numbers = {n: t.span.low for n, t in attribute.values.items()}
    distinct = len(set(numbers.values())) >= _ORDINAL_DISTINCT * len(numbers)
    if not distinct or min(numbers.values()) > _ORDINAL_FIRST:
        return None
    return numbers, attribute


def adjacent_items(context: Context, item: ThingSet, op: m.Adjacent, among: Sequence[ThingSet] = ()) -> list[ThingSet]:
    """Return the stated successors (or predecessors) of an item, those in a set or of a kind if that is asked for."""
    phrase = "successor of _" if op.step > 0 else "predecessor of _"
    stated = relate(context, item, m.Related(op.item, phrase, op.noun))
    out = []
    for f in stated:
        if f.surety.relevance < _SUCCESSOR:
            continue
        if not among:
            out.append(f)
        for base in among:
            keep = np.isin(f.ids, base.ids)
            if keep.any():
                out.append(f.only(keep, score=f.score + base.score, surety=f.surety.worst(base.surety)))
    return out
