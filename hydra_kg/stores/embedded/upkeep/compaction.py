"""Merges the links of many loads into one folder, and removes what no load, reader or lock needs any more."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hydra_kg.errors import DiskFullError, StoreCorruptError
from hydra_kg.events import Listener, Progress
from hydra_kg.stores.embedded.catalog.catalog import Catalog
from hydra_kg.stores.embedded.catalog.generation import read_merged_name
from hydra_kg.stores.embedded.catalog.locks import generation_lock
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


def left_over(store: Path, catalog: Catalog) -> bool:
    """Return True if there are older generations without readers, or files that only older ones needed."""
    current = catalog.generation()
    older = [f for f in _folders(store / "generations") if f.name != str(current)]
    for folder in older:
        with generation_lock(store, int(folder.name) if folder.name.isdigit() else -1) as lock:
            if lock.exclusive():
                return True
    return not older and (bool(catalog.removable()) or bool(_unread(store, current)))


def tidy_merged(store: Path, current: int) -> None:
    """Remove all merges except that of the current generation.

    Call it with the builder's lock, when no reader uses an older generation.
    """
    for folder in _unread(store, current):
        remove(folder)


def _unread(store: Path, current: int) -> list[Path]:
    try:
        keep = read_merged_name(store / "generations" / str(current)) if current else ""
    except StoreCorruptError:  # what it needs cannot be told
        return []
    return [folder for folder in _folders(store / "merged") if folder.name != keep]


def tidy_scratch(store: Path, catalog: Catalog) -> None:
    """Remove the scratch of finished loads. Call it with the builder's lock.

    A folder that belongs to no load stays. Loads are entered in the catalog before their folder is made, so such a
    folder is not ours to remove; ``doctor`` reports it.
    """
    states = {row.id: row.state for row in catalog.loads()}
    for folder in _folders(store / "staging"):
        if states.get(folder.name, "staging") != "staging":
            remove(folder)


def tidy_locks(store: Path, current: int) -> None:
    """Remove lock files of generations that no longer exist. Call it with the builder's lock.

    A process leaves such a file if it was killed between the two removals, or if it looked at a generation that had
    just been removed.
    """
    for file in sorted((store / "locks").glob("generation-*")):
        number = file.name.removeprefix("generation-")
        if number != str(current) and not (store / "generations" / number).exists():
            remove(file)


def check_links(path: Path) -> None:
    """Raise StoreCorruptError if a folder that the store writes to and cleans is a link to another place."""
    for name in ("loads", "staging", "locks", "generations", "merged", "index"):
        if (path / name).is_symlink():
            raise StoreCorruptError(
                f"{path / name} is a link to another place.", remedy="Move what it leads to into the store's folder."
            )


def _folders(path: Path) -> list[Path]:
    return sorted(path.iterdir()) if path.is_dir() else []
