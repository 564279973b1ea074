"""Detects hash collisions of ids before a load becomes ready, so that they are never merged."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hydra_kg.errors import StoreError
from hydra_kg.stores.embedded.segments.format import Segment

_BATCH = 100_000


def check_collisions(new: Segment, others: Iterable[Segment]) -> None:
    """Compare the texts of ids that a load shares with ready loads.

    Raises StoreError if one id has two texts, which happens about once in 4,000 pairs of loads of 17 million terms.
    """
    for other in others:
        common = np.intersect1d(new.term_id, other.term_id, assume_unique=True)
        for i in range(0, len(common), _BATCH):
            ids = common[i : i + _BATCH]
            for a, b in zip(new.terms(ids), other.terms(ids), strict=True):
                if a != b:
                    raise StoreError(
                        f"{a!r} has the same hashed id as {b!r}, which another load has.",
                        remedy="Load it into a store of its own, or without the lines that name it.",
                    )
