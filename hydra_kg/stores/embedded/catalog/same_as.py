"""Builds same-as classes from segments; the rule itself is in :mod:`hydra_kg.stores.common.same_as`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from hydra_kg.stores.common.same_as import (
    GENERAL_TYPES,
    LARGEST,
    TYPE_PREDICATES,
    SameAsClasses,
    Unfused,
    components,
    fuse_links,
)
from hydra_kg.stores.embedded.segments.format import Segment

__all__ = ["GENERAL_TYPES", "LARGEST", "TYPE_PREDICATES", "SameAsClasses", "Unfused", "components", "fuse", "types_of"]


def fuse(segments: Sequence[Segment]) -> SameAsClasses:
    """Return the classes of all same-as links of some loads. The result does not depend on their order."""
    a = np.concatenate([s.same_a for s in segments] or [np.empty(0, np.int64)])
    b = np.concatenate([s.same_b for s in segments] or [np.empty(0, np.int64)])
    return fuse_links(a, b, lambda nodes: types_of(nodes, segments))


def types_of(nodes: Sequence[int], segments: Iterable[Segment]) -> list[frozenset[int]]:
    """Return for each node the ids of the types that any load states of it, without types that everything has."""
    wanted = np.asarray(nodes, np.int64)
    found: list[set[int]] = [set() for _ in nodes]
    for s in segments:
        if not len(s.nodes):
            continue
        at = np.minimum(np.searchsorted(s.nodes, wanted), len(s.nodes) - 1)
        known = np.flatnonzero(s.nodes[at] == wanted)
        kinds = np.flatnonzero(np.isin(s.preds, list(TYPE_PREDICATES)))
        for off, pred, ends in ((s.voff, s.vpred, s.vobj), (s.foff, s.fpred, s.fdst)):
            low = off[at[known]].astype(np.int64)
            count = off[at[known] + 1].astype(np.int64) - low
            row = np.repeat(low - np.cumsum(count) + count, count) + np.arange(count.sum())
            typed = np.flatnonzero(np.isin(pred[row], kinds))
            objects = ends[row[typed]] if ends is s.vobj else s.nodes[ends[row[typed]]]
            owners = np.repeat(known, count)[typed]
            for owner, kind in zip(owners.tolist(), objects.tolist(), strict=True):
                found[owner].add(kind)
    return [frozenset(kinds - GENERAL_TYPES) for kinds in found]
