"""Facts between given classes, relation pairs, and all short paths: reads that need no complete cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Index, Links
from hydra_kg.errors import UsageError
from hydra_kg.stores.embedded.reads.snapshot_graph import GraphView, Positions, distinct


def between(view: GraphView, left: Ids, right: Ids) -> Links:
    """See :meth:`hydra_kg.ports.Snapshot.between`; by (pair, forward first, predicate, segment, row)."""
    a, b = view.classes_of(left), view.classes_of(right)
    known = np.flatnonzero((a >= 0) & (b >= 0))
    a, b = a[known], b[known]
    swap = view.degree[b] < view.degree[a]  # walk from the end with fewer facts
    near, far = np.where(swap, b, a).astype(np.int32), np.where(swap, a, b).astype(np.int32)
    columns: list[tuple[npt.NDArray[Any], ...]] = []
    for at in _pieces(view, near):
        for load in view.linked:
            for forward in (True, False):
                pos, owner, other = load.expand(near[at], forward=forward)
                hit = other == far[at][owner]
                if not forward:
                    hit &= other != near[at][owner]
                pos, pair = pos[hit], at[owner[hit]]
                pred, segment, row = load.columns(pos, forward=forward)
                ahead = swap[pair] ^ forward | (a[pair] == b[pair])
                columns.append((known[pair], ~ahead, pred, segment, row))
    if not columns:
        columns.append((np.empty(0, np.int64),) * 5)
    pair, backward, pred, segment, row = (np.concatenate(c) for c in zip(*columns, strict=True))
    order = np.lexsort((row, segment, pred, backward, pair))
    return Links(
        pair[order].astype(np.int32),
        ~backward[order].astype(np.bool_),
        pred[order].astype(np.int32),
        segment[order].astype(np.int16),
        row[order],
    )


def neighbours(view: GraphView, classes: Index) -> tuple[Positions, Index]:
    """Return every link fact at ``classes``, as (position in ``classes``, class of the other end).

    A loop is returned twice.
    """
    owners, others = [], []
    for load in view.linked:
        for forward in (True, False):
            _, owner, other = load.expand(classes, forward=forward)
            owners.append(owner)
            others.append(other)
    if not owners:
        return np.empty(0, np.int64), np.empty(0, np.int32)
    return np.concatenate(owners), np.concatenate(others)


def simple_paths(view: GraphView, start: int, end: int, *, max_hops: int = 3) -> list[Ids]:
    """Return all simple paths of 1 to ``max_hops`` edges between two classes, ignoring directions.

    ``max_hops`` is at most 3. Mediators count as nodes. The result is one int64 (k, h + 1) array of class ids for every
    length h that has any paths, rows ascending. Raises UsageError for another ``max_hops``.
    """
    if not 1 <= max_hops <= 3:
        raise UsageError(f"{max_hops} hops of simple paths", remedy="Choose 1, 2 or 3.")
    found = view.classes_of([start, end])
    if (found < 0).any() or found[0] == found[1]:
        return []
    a, b = found[:1], found[1:]
    size = len(view.classes)
    near, far = (distinct(neighbours(view, x)[1], size) for x in (a, b))
    out: list[Sequence[Index]] = []
    if (near == b).any():
        out.append((a, b))
    near, far = near[(near != a) & (near != b)], far[(far != a) & (far != b)]
    if max_hops > 1:
        middle = np.intersect1d(near, far, assume_unique=True)
        if len(middle):
            out.append((np.repeat(a, len(middle)), middle, np.repeat(b, len(middle))))
    if max_hops > 2 and len(near) and len(far):
        # Expand the lighter side, look the other side up.
        turned = int(view.degree[near].sum()) > int(view.degree[far].sum())
        side, other = (far, near) if turned else (near, far)
        with view.scratch() as mark:
            mark[other] = 1
            owner, x = neighbours(view, side)
            hit = np.flatnonzero(mark[x])
            mark[other] = 0
        k, x = side[owner[hit]], x[hit]
        keep = x != k
        first, second = (x[keep], k[keep]) if turned else (k[keep], x[keep])
        both = np.unique(first.astype(np.int64) << 32 | second)
        if len(both):
            out.append(
                (np.repeat(a, len(both)), (both >> 32).astype(np.int32), both.astype(np.int32), np.repeat(b, len(both)))
            )
    return [view.classes[np.column_stack(path)] for path in out]


def _pieces(view: GraphView, near: Index) -> list[Positions]:
    start, out = 0, []
    for part in view.chunks(near):
        out.append(np.arange(start, start + len(part)))
        start += len(part)
    return out
