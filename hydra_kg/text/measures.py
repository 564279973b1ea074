"""What adjectives measure, to tell one measure from another: a width is no length."""

from __future__ import annotations

import re
from functools import cache

from hydra_kg.util.package_data import table


def is_another_measure(asked: str, said: str) -> bool:
    """Return True if both texts name measures, and no adjective means one of the first and one of the second.

    Examples: "width" and "length" are different measures, "height" and "length" are not, because "short" means both.
    """
    wanted, stated = _measures_in(asked), _measures_in(said)
    return bool(wanted and stated) and not any(wanted & some and stated & some for some in _measured())


def _measures_in(text: str) -> frozenset[str]:
    return frozenset(m for some in _measured() for m in some if re.search(rf"\b{m}\b", text.casefold()))


@cache
def _measured() -> tuple[frozenset[str], ...]:
    """The measures of each adjective that compares numbers."""
    rows = table("hydra_kg.text", "adjectives.tsv")
    return tuple(frozenset(measures.split("; ")) for _, _, _, measures, _, sort in rows if sort == "number")
