"""Two-leg relations through mediators, for their vectors: built on first use, stored next to the generation."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hydra_kg.stores.embedded.catalog.generation import PinnedGeneration
from hydra_kg.stores.embedded.reads.snapshot_graph import GraphView, make_view
from hydra_kg.util.sidecar_db import add_checksum, strip_checksum

FILE: Final = "pairs.npy"


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
