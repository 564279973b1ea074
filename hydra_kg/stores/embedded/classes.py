"""Same-as classes of segments: what they link, and the types they state; the rule is :mod:`hydra_kg.stores.classes`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from hydra_kg.stores.classes import (
    GENERAL_TYPES,
    LARGEST,
    TYPE_PREDICATES,
    Fusion,
    Unfused,
    components,
    fuse_links,
)
from hydra_kg.stores.embedded.format import Segment

__all__ = ["GENERAL_TYPES", "LARGEST", "TYPE_PREDICATES", "Fusion", "Unfused", "components", "fuse", "types_of"]


def fuse(segments: Sequence[Segment]) -> Fusion:
    """The classes of all same-as links of some loads. Independent of their order."""
    a = np.concatenate([s.same_a for s in segments] or [np.empty(0, np.int64)])
    b = np.concatenate([s.same_b for s in segments] or [np.empty(0, np.int64)])
    return fuse_links(a, b, lambda nodes: [types_of(i, segments) for i in nodes])


def types_of(node: int, segments: Iterable[Segment]) -> frozenset[int]:
    """Ids of the types that any load states of a node, without those that everything has."""
    found: set[int] = set()
    for s in segments:
        i = int(np.searchsorted(s.nodes, node))
        if i < len(s.nodes) and s.nodes[i] == node:
            for off, pred, ends in ((s.voff, s.vpred, s.vobj), (s.foff, s.fpred, s.fdst)):
                span = slice(int(off[i]), int(off[i + 1]))
                typed = np.isin(s.preds[pred[span]], list(TYPE_PREDICATES))
                objects = ends[span][typed]
                found.update((objects if ends is s.vobj else s.nodes[objects]).tolist())
    return frozenset(found - GENERAL_TYPES)
