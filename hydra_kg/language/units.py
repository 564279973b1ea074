"""List units of measurement: their spellings, and what they measure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from hydra_kg.language.lexicon import lexicon_table
from hydra_kg.language.morphology import family_stem

_SIGNS: Final = "$€£¥"
"""Signs that come before numbers."""


@cache
def unit_spellings() -> Mapping[tuple[str, ...], str]:
    """Return spellings of units as words, longest first, with their unit: ``("sq", "km")`` is "square kilometres"."""
    units = [unit.split(", ") for row in _rows() if row[1] for unit in row[1].split("; ")]
    found = {tuple(spelling.split()): unit[0] for unit in units for spelling in unit}
    return dict(sorted(found.items(), key=lambda one: -len(one[0])))


@cache
def unit_dimensions() -> Mapping[str, str]:
    """Return the dimension of each unit of one word: "km" is a "length"; "" for people, who are counted."""
    found = {word: row[0] for row in _rows() for word in row[1].replace(";", ",").split(", ") if word not in _SIGNS}
    return {**found, **{word: row[0] for row in _rows() for word in row[2].split()}}


@cache
def unit_factors() -> Mapping[str, tuple[str, float]]:
    """Return the base unit of each unit in lower case, with the factor: "km" is ("m", 1000.0)."""
    found: dict[str, tuple[str, float]] = {}
    for base, *factors in (row[3].split() for row in _rows() if len(row) > 3):
        found |= {unit: (base, float(factor)) for unit, _, factor in (f.partition("=") for f in factors)}
    return found


@cache
def noun_dimensions() -> Mapping[str, tuple[str, ...]]:
    """Return the dimensions of nouns that name a measure: "height" is a "length", "fee" is "money"."""
    return {noun: tuple(row[0].split()) for row in lexicon_table("dimensions") for noun in row[1].split()}


def verb_dimension(verb: str) -> str:
    """Return the dimension that any form of a verb states, or "": "weighs" states a "mass"."""
    return _verb_dimensions().get(family_stem(verb), "")


@cache
def _verb_dimensions() -> Mapping[str, str]:
    return {family_stem(verb): row[0] for row in lexicon_table("measuring_verbs") for verb in row[1].split()}


@cache
def _rows() -> list[list[str]]:
    return lexicon_table("units")
