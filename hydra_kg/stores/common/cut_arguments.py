"""Checks the arguments of a cut and orders its predicates, the same way for every store."""

from __future__ import annotations

from typing import Final

import numpy as np

from hydra_kg.domain import Floats, Index
from hydra_kg.errors import UsageError

MAX_DEPTH: Final = 100
"""Greatest depth of a cut: levels are stored as int8."""


def predicate_order(rank: Floats | None, *, predicates: int, depth: int) -> Index:
    """Return the place of each predicate as int32 (P,), highest rank first.

    Raises UsageError for a depth out of range or a wrong number of ranks.
    """
    if not 0 <= depth <= MAX_DEPTH:
        raise UsageError(f"depth {depth} of a cut", remedy=f"Choose a depth between 0 and {MAX_DEPTH}.")
    order = np.arange(predicates, dtype=np.int32)
    if rank is not None:
        if len(rank) != predicates:
            raise UsageError(f"{len(rank)} ranks for {predicates} predicates", remedy="Give one rank a predicate.")
        order[np.argsort(-np.asarray(rank, np.float64), kind="stable")] = np.arange(predicates, dtype=np.int32)
    return order
