"""Tell what columns and words measure: a length, a mass, a time, an amount of money."""

from __future__ import annotations

from collections.abc import Iterable, Set
from functools import cache
from typing import Final

from hydra_kg.extract.word_classes import PREPOSITIONS
from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import plural, singular
from hydra_kg.language.units import noun_dimensions, unit_dimensions, unit_factors, unit_spellings, verb_dimension
from hydra_kg.steps.tables.graph_tables import Column


@cache
def column_dimensions(column: Column) -> frozenset[str]:
    """Return the dimensions of a numeric column, by the unit at the end of its heading or by its nouns.

    Examples: time for "minutes", mass for "weight kg", money for "monthly fee". "year" has none.
    """
    if column.kind != "number" or column.relation < 0:
        return frozenset()
    if unit := column_unit(column):
        return frozenset({unit_dimensions()[unit]})
    words = column.words[: column.words.index("per")] if "per" in column.words else column.words
    paid = {"money"} if any(verb_dimension(word) == "money" for word in words) else set()
    return frozenset(d for word in words for d in noun_dimensions().get(word, ())) | paid


def column_unit(column: Column) -> str:
    """Return the unit that a column's facts state, or that ends its heading or is all of it; "" if there is none."""
    stated = column.unit.partition("/")[0]  # EUR/h is an amount of money
    if unit_dimensions().get(stated):
        return stated
    rate = next((k for k, word in enumerate(column.words) if word == "per" and k), len(column.words))
    last = column.words[rate - 1]  # "price per day" is no time
    if not unit_dimensions().get(last) or (len(column.words) == 1 and (len(last) < _SHORTEST or last in PREPOSITIONS)):
        return ""
    dated = last in _CALENDAR  # a "year" is when, "years" are how long
    calendar = dated and not column.text.casefold().endswith(plural(last))
    return "" if calendar or last in noun_dimensions() else last


def can_measure(column: Column, dimensions: Set[str]) -> bool:
    """Return True if an adjective of some dimensions may compare a column whose words do not name the measure.

    A column that names another measure is none: the length is not how wide a bridge is. Only amounts of money are
    alike: the fee is how expensive a course is.
    """
    shared = column_dimensions(column) & dimensions
    return bool(shared) and ("money" in shared or not any(word in noun_dimensions() for word in column.words))


_CALENDAR: Final = frozenset("day week month year".split())
_SHORTEST: Final = 2
"""Letters from which a heading may be a unit alone."""


def measured_dimensions(measures: Iterable[str]) -> frozenset[str]:
    """Return the dimensions of what an adjective measures: length and time for "length; duration"."""
    return frozenset(d for measure in measures for word in measure.split() for d in noun_dimensions().get(word, ()))


def converted(value: float, unit: str, column: Column) -> float | None:
    """Return an amount in the unit of a column: 1500 for 1.5 kg in a column "weight g"; None for months in days."""
    own = column_unit(column)
    if not own or singular(unit) == singular(own) or unit_dimensions().get(unit) == "money":
        return value
    said, mine = _factor(unit), _factor(own)
    return value * said[1] / mine[1] if said is not None and mine is not None and said[0] == mine[0] else None


def states_unit(column: Column, word: str) -> bool:
    """Return True if a word is the unit of a column in any spelling: "kilometres" for "length km"."""
    own = column_unit(column) if column.kind == "number" and column.relation >= 0 else ""
    return bool(own) and _factor(word) is not None and _factor(word) == _factor(own)


@cache
def _factor(unit: str) -> tuple[str, float] | None:
    """Return the base unit and the factor of a unit in any spelling; None if it cannot be converted."""
    first = unit_spellings().get((unit,), unit)
    alike = [unit, singular(unit), *(words[0] for words, one in unit_spellings().items() if one == first)]
    return next((found for one in alike if (found := unit_factors().get(one)) is not None), None)


def is_beginning(column: Column) -> bool:
    """Return True if a column states when its rows began to be what they are: joined, hired, founded."""
    return bool(list_words("since_column") & set(column.words))


def is_interval(column: Column) -> bool:
    """Return True if a column states after how much time something happens again: "watered every days"."""
    return column.kind == "number" and "every" in column.words[:-1]


def is_since(column: Column) -> bool:
    """Return True if a column states since when its rows have a role, which is not how old they are: hired, joined."""
    return bool((list_words("since_column") - list_words("beginning_column")) & set(column.words))
