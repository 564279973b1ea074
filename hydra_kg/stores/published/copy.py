"""A reader's local copy: fetched file by file, compared with checksums, and made current in one transaction."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hydra_kg.errors import DiskFullError, NoStoreError, StoreCorruptError, StoreError, UsageError
from hydra_kg.stores.embedded.catalog.catalog import Catalog
from hydra_kg.stores.embedded.catalog.generation import PinnedGeneration, open_generation
from hydra_kg.stores.embedded.catalog.generation_bounds import check_generation
from hydra_kg.stores.embedded.catalog.locks import builder_lock, generation_lock
from hydra_kg.stores.embedded.reads.links import relation_pairs
from hydra_kg.stores.embedded.segments.array_bounds import check_segment
from hydra_kg.stores.embedded.segments.array_folder import MANIFEST, sync
from hydra_kg.stores.embedded.segments.disk_full import disk_errors, folder_bytes, free_bytes, remove
from hydra_kg.stores.embedded.segments.format import open_segment
from hydra_kg.stores.published.addresses import MARK, POINTER
from hydra_kg.stores.published.documents import Pointer, Publication, PublishedFolder
from hydra_kg.stores.published.fetching import fetch
from hydra_kg.stores.published.publication_places import PublicationPlace
from hydra_kg.stores.published.publish import current, read_publication
from hydra_kg.text.folding import bytes_text

_INCOMING: Final = ".incoming"
_SPARE: Final = 16 << 20
FAR: Final = 1 << 24
"""Most generations that a publication may be ahead, as a guard against forged numbers.

It is as many as 194 days of one flip per second.
"""


def check_folder(folder: Path, address: str) -> None:
    """Make a folder a copy, or check that it is one. Raise UsageError if it is anything else."""
    mark = folder / MARK
    if mark.is_file():
        try:
            found = json.loads(mark.read_text("utf-8"))["address"]
        except (OSError, ValueError, KeyError, TypeError):
            found = ""
        if found != address:
            raise UsageError(f"{folder} is the copy of {found or 'something else'}.", remedy="Name another folder.")
        return
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} holds something else than a copy.", remedy="Name a new or an empty folder.")
    with disk_errors(folder, "beginning a copy"):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        mark.write_text(json.dumps({"address": address}), "utf-8")


def update(
    folder: Path, catalog: Catalog, place: PublicationPlace, *, go_on: Callable[[], bool], back: bool = False
) -> bool:
    """Update a copy to what is published now. Return False if it is up to date.

    Questions continue meanwhile, each with the generation with which it began. The caller makes sure that nobody else
    updates the copy. ``back`` allows an older generation.

    On an error the copy stays as it is, and files that arrived complete are not fetched again.

    Raises:
        NoStoreError: nothing is published, or a part of it is missing.
        StoreCorruptError: a file is not what was published, or does not fit.
        StoreError: the publication was rolled back or is too far ahead.
        DiskFullError: the disk is full.
    """
    pointer, _ = current(place)
    if pointer is None:
        raise NoStoreError("Nothing is published there.", remedy="hydra-kg db publish ADDRESS")
    number = catalog.generation()
    if number and catalog.lineage() != pointer.lineage:
        raise StoreError(
            "Another store than the one that was copied is published there now.",
            remedy=f"Remove {folder}, or name another folder for the copy.",
        )
    if number == pointer.generation and catalog.publication() in (0, fingerprint(pointer)):
        return False
    _check_direction(pointer, folder, number, back=back)
    publication = read_publication(place, pointer)
    incoming = folder / _INCOMING
    with disk_errors(folder, "fetching what is published"):
        try:
            missing = [f for f in publication.folders if not _is_there(folder / f.path, f)]
            _check_room(folder, missing)
            fetch(place, missing, incoming, go_on)
            _put_in_force(folder, catalog, publication, missing, fingerprint=fingerprint(pointer), back=back)
        except (DiskFullError, OSError):
            remove(incoming)  # what is left of a full disk is needed elsewhere
            raise
    remove(incoming)
    return True


def fingerprint(pointer: Pointer) -> int:
    """Return 60 bits of the checksum of a publication, which tell it from others of the same generation."""
    return int(pointer.sha256[:15], 16)


def _check_direction(pointer: Pointer, folder: Path, number: int, *, back: bool) -> None:
    """Raise StoreError if a publication is too far ahead, another one of this generation, or too old.

    An older publication is allowed with ``back``.
    """
    if pointer.generation > number + FAR:
        raise StoreError(
            f"Generation {pointer.generation:,} is published, and this copy is at {number:,}. No store gets more than "
            f"{FAR:,} generations ahead between two looks, so the pointer is damaged or forged. It was not followed.",
            remedy=f"Check who may write there, remove {POINTER} and run hydra-kg db publish again.",
        )
    if pointer.generation == number:
        raise StoreError(
            f"Generation {number} that is published is not the generation {number} that was copied.",
            remedy=f"Load and publish once more there, or remove {folder}: the published store is then copied again.",
        )
    if pointer.generation < number and not back:
        raise StoreError(
            f"The publisher went back: generation {pointer.generation} is published, and this copy is at {number}.",
            remedy="hydra-kg db follow ADDRESS --back goes back with it.",
        )


def _is_there(folder: Path, published: PublishedFolder) -> bool:
    """Return True if a folder is already complete.

    Its manifest is written last and has the checksums of all other files.
    """
    file = folder / MANIFEST
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == published.files[MANIFEST].sha256


def _check_room(folder: Path, missing: list[PublishedFolder]) -> None:
    needed = sum(f.bytes for f in missing) - folder_bytes(folder / _INCOMING) + _SPARE
    if missing and needed > free_bytes(folder):
        raise DiskFullError(
            f"What is new takes {bytes_text(needed)}.", remedy=f"Free space on the disk of {folder}; it is tried again."
        )


def _put_in_force(
    folder: Path,
    catalog: Catalog,
    publication: Publication,
    missing: list[PublishedFolder],
    *,
    fingerprint: int,
    back: bool,
) -> None:
    """Move what has arrived, open it and flip, with the builder's lock, so that nobody removes anything."""
    number = publication.generation
    with builder_lock(folder) as lock:
        lock.exclusive(wait=True)
        try:
            readers = generation_lock(folder, number)  # questions may still read an earlier state of that number
            readers.exclusive(wait=True)
            readers.release()
            for f in missing:
                target = folder / f.path
                if target.parts[-2] == "loads" and any(r.id == target.name for r in catalog.loads(state="ready")):
                    raise StoreCorruptError(
                        f"{target} is not what was copied.", remedy=f"Remove {folder}; it is fetched again."
                    )
                remove(target)
                target.parent.mkdir(exist_ok=True)
                (folder / _INCOMING / f.path).rename(target)
                sync(target.parent)
            rows = [load.row() for load in publication.loads]
            loads = [(r.info(), open_segment(folder / "loads" / r.id)) for r in sorted(rows, key=lambda r: r.name)]
            generation = open_generation(folder / "generations" / str(number), number, [s for _, s in loads])
            pinned = PinnedGeneration(folder, generation, tuple(loads))
            for _, segment in loads:
                if f"loads/{segment.id}" in {f.path for f in missing}:
                    check_segment(segment)
            check_generation(generation, [segment for _, segment in loads])
            relation_pairs(pinned)  # kept: no question waits for them
            catalog.adopt(number, rows, lineage=publication.lineage, publication=fingerprint, back=back)
        except BaseException:
            if catalog.generation() != number:
                for f in missing:
                    remove(folder / f.path)
            raise
