"""Convert the amounts of a column with several units of the same measure, such as g and kg."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hydra_kg.language.units import unit_dimensions, unit_factors
from hydra_kg_loaders.values.written_numbers import SIGN

_DIGITS: Final = 12
"""Number of significant digits of a converted number."""


def is_unit(text: str) -> bool:
    """Return True for a unit of measurement or a currency."""
    return bool(_factor(text)[0]) or text.casefold() in unit_dimensions() or re.fullmatch(SIGN, text) is not None


def find_common_unit(units: Sequence[str]) -> str:
    """Return the first of some units if all of them convert to it, "" if not, as for currencies."""
    bases = {base for base, _ in map(_factor, units)}
    return units[0] if len(bases) == 1 and "" not in bases else ""


def convert(amount: tuple[float, str], unit: str) -> str:
    """Return a number with its unit converted to another unit of the same measure.

    Example: (850.0, "g") in kg is "0.85 kg".
    """
    value = amount[0] * _factor(amount[1])[1] / _factor(unit)[1]
    number = f"{value:.{_DIGITS}g}"
    if "e" in number:
        number = f"{value:.{_DIGITS}f}".rstrip("0").rstrip(".")
    return f"{number} {unit}"


def _factor(unit: str) -> tuple[str, float]:
    """Return the base unit of a unit and their ratio. The base unit is "" if it cannot be converted."""
    small = unit.casefold().rstrip(".")
    return unit_factors().get(small) or unit_factors().get(small.removesuffix("s")) or ("", 0.0)
