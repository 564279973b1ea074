"""Facts between given classes, relation pairs, relations through mediators, and short paths: reads without a cut."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Index, Links
from hydra_kg.errors import UsageError
from hydra_kg.stores.embedded.catalog.generation import PinnedGeneration
from hydra_kg.stores.embedded.reads.snapshot_graph import GraphView, Positions, distinct, make_view
from hydra_kg.util.sidecar_db import add_checksum, strip_checksum

FILE: Final = "pairs.npy"


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


def relation_pairs(pinned: PinnedGeneration) -> npt.NDArray[np.int32]:
    """Return the distinct (predicate, direction in, predicate, direction out) at mediators, as int32 (k, 4)."""
    path = pinned.generation.path / FILE
    predicates = len(pinned.generation.predicates.ids)
    if (cached := _read(path, predicates)) is not None:
        return cached
    keys = np.unique(np.concatenate([np.empty(0, np.int64), *_pairs(make_view(pinned), predicates)]))
    first, second = np.divmod(keys, 2 * predicates) if len(keys) else (keys, keys)
    pairs = np.column_stack((first >> 1, first & 1, second >> 1, second & 1)).astype(np.int32)
    if pinned.number:
        _keep(path, pairs)
    return pairs


def _pairs(view: GraphView, predicates: int) -> Iterator[npt.NDArray[np.int64]]:
    """Yield pairs of legs through mediators as numbers, once per signature of a mediator's legs.

    With P = ``predicates``, a pair is 2P times the leg in, plus the leg out. A leg is twice its predicate, plus its
    direction. One mediator per signature is enough because mediators of one kind look alike. Sums of random numbers
    tell signatures apart.
    """
    random = np.random.default_rng(0).integers(1, 1 << 63, 2 * predicates, np.uint64)
    seen: set[int] = set()
    for part in view.chunks(np.flatnonzero(view.mediator).astype(np.int32)):
        owner, leg, count = _legs(view, part, predicates)
        first = np.flatnonzero(np.diff(owner, prepend=-1) != 0)
        if not len(first):
            continue
        signature = np.add.reduceat(random[leg] * count, first)
        _, at = np.unique(signature, return_index=True)
        ends = np.append(first, len(owner))
        for i in at.tolist():
            if (name := int(signature[i])) not in seen:
                seen.add(name)
                legs, several = leg[ends[i] : ends[i + 1]], count[ends[i] : ends[i + 1]] > 1
                allowed = ~np.eye(len(legs), dtype=np.bool_) | several[:, None]
                # Into the mediator a leg is walked against the direction in which it is walked out of it.
                yield (legs[:, None] * (2 * predicates) + (legs ^ 1)[None, :])[allowed]


def _legs(view: GraphView, part: npt.NDArray[np.int32], predicates: int) -> tuple[Any, Any, Any]:
    """Return (position in ``part``, leg, count) of all facts between these mediators and entities.

    The count is 1, or 2 for several.
    """
    keys = [np.empty(0, np.int64)]
    for load in view.linked:
        for forward in (True, False):
            pos, owner, other = load.expand(part, forward=forward)
            entity = ~view.mediator[other]
            pred, _, _ = load.columns(pos[entity], forward=forward)
            keys.append(owner[entity] * (2 * predicates) + pred * np.int64(2) + (not forward))
    distinct, count = np.unique(np.concatenate(keys), return_counts=True)
    owner, leg = np.divmod(distinct, max(1, 2 * predicates))
    return owner, leg, np.minimum(count, 2).astype(np.uint64)


def _read(path: Path, predicates: int) -> npt.NDArray[np.int32] | None:
    """Return cached pairs of predicates, or None if they are missing or damaged."""
    try:
        data = strip_checksum(path.read_bytes())
        cached = np.load(io.BytesIO(data), allow_pickle=False) if data else None
    except (OSError, ValueError, EOFError):
        return None
    if cached is None:  # not as it was written, or by a program that sealed nothing
        return None
    fits = cached.dtype == np.int32 and cached.ndim == 2 and cached.shape[1] == 4
    return cached if fits and (not len(cached) or 0 <= cached.min() <= cached.max() < max(2, predicates)) else None


def _keep(path: Path, pairs: npt.NDArray[np.int32]) -> None:
    """Cache pairs of predicates in a file with a checksum."""
    part = path.with_name(f"{FILE}.{os.getpid()}")
    try:
        data = io.BytesIO()
        np.save(data, pairs, allow_pickle=False)
        part.write_bytes(add_checksum(data.getvalue()))
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
