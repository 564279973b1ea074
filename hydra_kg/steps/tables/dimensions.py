"""Tell what columns and words measure: a length, a mass, a time, an amount of money."""

from __future__ import annotations

from collections.abc import Iterable, Set
from functools import cache
from typing import Final

from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import plural, singular
from hydra_kg.language.units import noun_dimensions, unit_dimensions, unit_factors
from hydra_kg.steps.tables.view import Column


@cache
def column_dimensions(column: Column) -> frozenset[str]:
    """Return the dimensions of a numeric column, by the unit at the end of its heading or by its nouns.

    Examples: time for "minutes", mass for "weight kg", money for "monthly fee". "year" has none.
    """
    if column.kind != "number" or column.relation < 0:
        return frozenset()
    if unit := column_unit(column):
        return frozenset({unit_dimensions()[unit]})
    return frozenset(d for word in column.words for d in noun_dimensions().get(word, ()))


def column_unit(column: Column) -> str:
    """Return the unit that a column's facts state, or that ends its heading or is all of it; "" if there is none."""
    if unit_dimensions().get(column.unit):
        return column.unit
    last = column.words[-1]
    if not unit_dimensions().get(last) or (len(column.words) == 1 and len(last) < _SHORTEST):
        return ""
    dated = last not in unit_factors() and unit_dimensions()[last] == "time"  # a "year" is when, "years" are how long
    calendar = dated and not column.text.casefold().endswith(plural(last))
    return "" if calendar or last in noun_dimensions() else last


def can_measure(column: Column, dimensions: Set[str]) -> bool:
    """Return True if an adjective of some dimensions may compare a column whose words do not name the measure.

    A column that names another measure is none: the length is not how wide a bridge is. Only amounts of money are
    alike: the fee is how expensive a course is.
    """
    shared = column_dimensions(column) & dimensions
    return bool(shared) and ("money" in shared or not any(word in noun_dimensions() for word in column.words))


_SHORTEST: Final = 3
"""Letters from which a heading may be a unit alone."""


def measured_dimensions(measures: Iterable[str]) -> frozenset[str]:
    """Return the dimensions of what an adjective measures: length and time for "length; duration"."""
    return frozenset(d for measure in measures for word in measure.split() for d in noun_dimensions().get(word, ()))


def converted(value: float, unit: str, column: Column) -> float:
    """Return an amount in the unit of a column: 1500 for 1.5 kg in a column "weight g"."""
    said, own = (unit_factors().get(u) or unit_factors().get(singular(u)) for u in (unit, column_unit(column)))
    return value * said[1] / own[1] if said is not None and own is not None and said[0] == own[0] else value


def is_beginning(column: Column) -> bool:
    """Return True if a column states when its rows began to be what they are: joined, hired, member since."""
    return bool(list_words("since_column") & set(column.words))
