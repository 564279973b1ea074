"""Finds and removes leftovers in a store's folder: scratch of finished loads, unowned folders, unread merges."""

from __future__ import annotations

from pathlib import Path

from hydra_kg.errors import StoreCorruptError
from hydra_kg.stores.embedded.catalog.catalog import Catalog
from hydra_kg.stores.embedded.catalog.generation import read_merged_name
from hydra_kg.stores.embedded.catalog.locks import generation_lock
from hydra_kg.stores.embedded.segments.disk_full import remove


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
