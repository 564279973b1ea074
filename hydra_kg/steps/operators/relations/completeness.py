"""Check whether all members of a set can be known: the countries of a continent can, its rivers cannot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from hydra_kg.language.lexicon import list_words
from hydra_kg.plan.model import Related, Things
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.results.found_entities import ThingSet
from hydra_kg.steps.retrieval.entity_types import gender_of, kinds_named, mostly_unknown, several

_LARGER_HOLDS: Final = 0.8  # share of a set that another reading of it must hold to be the same with more
_LARGER_BEHIND: Final = 0.1  # surety by which such a reading may be behind

_IN_A_PLACE: Final = re.compile(
    r"(?:.* )?(?:in|on|at|near|through|across|along|within|inside|around|throughout|from) _"
)

_DIVIDING: Final = frozenset({"country", "region", "continent"})
"""Kinds of areas that divide a larger one between them, so that sources have all of them or none."""

_NATURAL: Final = list_words("fixed_kind water_kind")
"""Kinds that are never of a place in another sense than that they lie there: "lakes of Finland"."""


def may_lack_some(op: Related) -> bool:
    """Return True for lists by place ("rivers in Europe"), of which sources lack some.

    The list is complete if the place is divided into what is listed.
    """
    kinds = kinds_named(op.noun)
    if op.during is not None or kinds & _DIVIDING:
        return False
    return bool(_IN_A_PLACE.fullmatch(op.phrase)) or bool(kinds & _NATURAL and op.phrase.endswith(" of _"))


def larger(readings: Sequence[ThingSet], found: ThingSet, *, behind: float = _LARGER_BEHIND) -> ThingSet | None:
    """Return another reading, less sure by at most ``behind``, with nearly all members of a set and more."""
    least = found.surety.relevance - behind
    for other in readings:
        both = np.isin(found.ids, other.ids).sum()
        if len(other) > len(found) and both >= _LARGER_HOLDS * len(found) and other.surety.relevance >= least:
            return other
    return None


def of_unknown_gender(context: Context, op: Things, found: ThingSet) -> tuple[str, ...]:
    """Return the noun of a relation, such as "brothers", if the gender of most of the things found is unknown.

    The gender is unknown if no source states it. Otherwise the result is empty.
    """
    noun = op.noun if isinstance(op, Related) else ""
    return (noun,) if gender_of(noun) and mostly_unknown(context, found.ids.tolist()) else ()


def is_one_work(op: Things, number: int) -> bool:
    """Return True if several works of a maker are asked for and only one is stated."""
    return number == 1 and isinstance(op, Related) and several(op.noun) and "work" in kinds_named(op.noun)
