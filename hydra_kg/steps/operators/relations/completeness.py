"""Whether all of a kind that there are in a place can be known: the countries of a continent, but not its rivers."""

from __future__ import annotations

import re
from typing import Final

from hydra_kg.plan.model import Related
from hydra_kg.steps.retrieval.answer_type_filter import kinds_named

_IN_A_PLACE: Final = re.compile(
    r"(?:.* )?(?:in|on|at|near|through|across|along|within|inside|around|throughout|from) _"
)

_DIVIDING: Final = frozenset({"country", "region", "continent"})
"""Kinds of areas that divide a larger one between them, so that sources have all of them or none."""

_NATURAL: Final = frozenset("river lake sea mountain desert island building".split())
"""Kinds that are never of a place in another sense than that they lie there: "lakes of Finland"."""


def may_lack_some(op: Related) -> bool:
    """Whether an operator gives what is stated to be in a place ("rivers in Europe", "people born in Vienna"): all of
    which no source has, but where the place is divided into them. Of what is no place nothing is said here."""
    kinds = kinds_named(op.noun)
    if op.during is not None or kinds & _DIVIDING:
        return False
    return bool(_IN_A_PLACE.fullmatch(op.phrase)) or bool(kinds & _NATURAL and op.phrase.endswith(" of _"))
