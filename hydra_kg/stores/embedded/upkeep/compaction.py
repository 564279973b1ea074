"""Decides when and which loads are merged into one adjacency (`db compact`), and how long a merge stays in use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hydra_kg.errors import DiskFullError, StoreCorruptError
from hydra_kg.events import Listener, Progress
from hydra_kg.stores.embedded.catalog.generation import read_merged_name
from hydra_kg.stores.embedded.segments.array_folder import verify
from hydra_kg.stores.embedded.segments.disk_full import free_bytes, remove
from hydra_kg.stores.embedded.segments.format import Segment
from hydra_kg.stores.embedded.segments.merged_adjacency import (
    MERGED,
    MergedAdjacency,
    estimate_merged_bytes,
    merge,
    open_merged,
)

MANY: Final = 16
"""Number of places with links above which merging them is worth it."""


def get_merged_folder(store: Path, name: str) -> Path:
    """Return the folder of a merged adjacency."""
    return store / "merged" / name


def current_merged(store: Path, generation: int, segments: Sequence[Segment]) -> MergedAdjacency | None:
    """Return the merged adjacency of a generation, or None.

    It is None if the adjacency is damaged, or if the ready loads have less than half of its links.
    """
    try:
        name = read_merged_name(store / "generations" / str(generation)) if generation else ""
        merged = open_merged(get_merged_folder(store, Path(name).name)) if name else None
    except StoreCorruptError:
        return None
    if merged is None:
        return None
    there = [s for s in segments if s.id in merged.loads]
    return merged if len(there) > 1 and 2 * sum(len(s.fdst) for s in there) >= len(merged.fdst) else None


def places(segments: Sequence[Segment], merged: MergedAdjacency | None) -> int:
    """Return in how many places a walk over some loads looks."""
    inside = set(merged.loads) if merged is not None else set()
    alone = sum(1 for s in segments if len(s.fdst) and s.id not in inside)
    return alone + (merged is not None)


def select_mergeable(segments: Sequence[Segment], *, everything: bool) -> list[Segment]:
    """Return the loads to merge: those that have links.

    Unless ``everything``, a load with more than half of all links is left out.
    """
    linked = [s for s in segments if len(s.fdst)]
    total = sum(len(s.fdst) for s in linked)
    return [s for s in linked if everything or 2 * len(s.fdst) <= total]


def build_merged(store: Path, name: str, segments: Sequence[Segment], *, listener: Listener) -> MergedAdjacency:
    """Merge loads into the folder ``merged/<name>``, durably. Raise DiskFullError before anything is written."""
    folder, needed, free = get_merged_folder(store, name), estimate_merged_bytes(segments), free_bytes(store)
    if needed > free:
        raise DiskFullError(
            f"Merging takes up to {needed / 1e9:.1f} GB of disk, and {free / 1e9:.1f} GB are free.",
            remedy=f"Free space on the disk of {store}; nothing was changed.",
        )
    total = 2 * sum(len(s.fdst) for s in segments)
    progress = Progress("store.compact", total=total, unit="links", listener=listener, eta=True, at_once=True)
    remove(folder)
    merge(folder, segments, on_rows=progress.add)
    verify(folder, magic=MERGED)
    return open_merged(folder)
