"""Checks that the catalog is the one last written here: it must match its seal, the loads and the generation."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hydra_kg.errors import StoreCorruptError
from hydra_kg.stores.embedded.catalog.catalog import REBUILD, Catalog, complete_loads
from hydra_kg.stores.embedded.catalog.generation import GENERATION
from hydra_kg.stores.embedded.segments.array_folder import read_manifest
from hydra_kg.stores.embedded.segments.format import SEGMENT

_COPY: Final = "copy.json"
"""The file that marks a folder as a copy (:data:`hydra_kg.stores.published.addresses.MARK`)."""


def check_catalog(store: Path, catalog: Catalog) -> None:
    """Raise StoreCorruptError if the catalog was exchanged for an older one or lost rows. Call it before any write."""
    if wrong := catalog.examined() or difference_from_files(store, catalog):
        raise StoreCorruptError(
            f"{catalog.path} is not the catalog that was last written here: {wrong}. Nothing was changed.",
            remedy=REBUILD,
        )


def difference_from_files(store: Path, catalog: Catalog) -> str:
    """Return how the catalog contradicts the folders of loads and complete generations, or "" if it does not."""
    # A copy of a published store has its folders first: an update that was killed leaves them for the next one.
    complete = [] if (store / _COPY).is_file() else complete_loads(store)
    known = {row.id for row in catalog.loads()}
    for name in complete:
        if name not in known and _is_folder_of(store / "loads" / name, SEGMENT):
            return f"it does not list the load {name}, which is there"
    while True:
        number, rows = catalog.ready()
        wrong = _difference_from_generation(store, number, [row.id for row in rows])
        if catalog.generation() == number:  # else another process has just flipped
            return wrong


def _difference_from_generation(store: Path, number: int, ready: list[str]) -> str:
    """Return how the catalog differs from the newest generation on disk, or ""."""
    folder = store / "generations" / str(number)
    try:
        loads = read_manifest(folder, magic=GENERATION).get("loads") if number else []
    except StoreCorruptError:
        newer = [
            f for f in _list_numbered(store / "generations") if int(f.name) > number and _is_folder_of(f, GENERATION)
        ]
        if folder.exists() or not newer:
            return ""
        return f"it says that generation {number} is in force, which is gone, and {newer[-1].name} is there"
    return "" if loads == ready else f"it lists other loads than generation {number} was built for"


def _list_numbered(folder: Path) -> list[Path]:
    return sorted((f for f in folder.iterdir() if f.name.isdigit()), key=lambda f: int(f.name))


def _is_folder_of(folder: Path, magic: str) -> bool:
    try:
        read_manifest(folder, magic=magic)
    except (StoreCorruptError, OSError):
        return False
    return True
