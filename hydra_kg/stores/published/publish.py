"""Publishes the ready loads of a store: first new folders, then the list that names them, then the pointer."""

from __future__ import annotations

import hashlib
import json
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import NotFoundError, StoreCorruptError, StoreError, UsageError
from hydra_kg.events import Listener, Progress, ignore
from hydra_kg.stores.embedded.catalog.catalog import LoadRow
from hydra_kg.stores.embedded.catalog.catalog_checks import check_catalog
from hydra_kg.stores.embedded.catalog.generation import PinnedGeneration
from hydra_kg.stores.embedded.operations.abilities import Backupable
from hydra_kg.stores.embedded.segments.array_folder import CHUNK, HEADER, MANIFEST
from hydra_kg.stores.embedded.segments.disk_full import disk_errors
from hydra_kg.stores.published.addresses import POINTER
from hydra_kg.stores.published.documents import (
    POINTER_BYTES,
    PUBLICATION_BYTES,
    Pointer,
    Publication,
    PublishedFile,
    PublishedFolder,
    PublishedLoad,
    pack_publication,
    pointer_of,
    publication_of,
)
from hydra_kg.stores.published.publication_places import PublicationPlace, open_place

_PUBLICATIONS: Final = "publications/"


def publish(
    store: Backupable, address: str, *, check: bool = False, keep: int = 0, listener: Listener = ignore
) -> dict[str, Any]:
    """Publish the ready loads of one moment. Return counts.

    Args:
        check: read and compare what is already published.
        keep: the number of newest publications whose files stay; 0 for all.

    Loads, drops and questions continue meanwhile. What is already there is not written again, even if a killed
    publication left it. The pointer is replaced last, and only if it is still the one that was read first.

    Raises:
        UsageError: another store is published there, or nothing is ready.
        StoreError: a newer publication is there.
        StoreBusyError: another publication was quicker.
        StoreCorruptError: the store is damaged.
    """
    check_catalog(store.path, store.catalog)
    with disk_errors(store.path, "publishing"), _ready(store) as (pinned, rows):
        place = open_place(address, make=True)
        pointer, tag = current(place)
        lineage = store.catalog.lineage()
        if pointer is not None:
            _check_older(pointer, lineage, pinned.number)
        known: dict[str, PublishedFolder] = {}
        if pointer is not None and not check:
            known = {f.at: f for f in read_publication(place, pointer).folders}
        folders = [segment.path for _, segment in pinned.loads]
        if (merged := pinned.generation.merged) is not None:
            folders.append(merged.path)
        folders.append(pinned.generation.path)
        total = sum(f.stat().st_size for folder in folders for f in folder.iterdir() if f.is_file())
        copying = _Copying(place, check, Progress("store.publish", total=total, unit="bytes", listener=listener).add)
        done = [known.get(_published_name(folder)) or copying.folder(folder) for folder in folders]
        publication = Publication(
            lineage=lineage, generation=pinned.number, loads=[PublishedLoad.of(row) for row in rows], folders=done
        )
        data, new = pack_publication(publication)
        if len(data) > PUBLICATION_BYTES:
            raise StoreError("The store has too many files to be published.", remedy="Load fewer, larger sources.")
        if pointer is not None and pointer.generation == new.generation and pointer != new:
            raise UsageError(
                f"Another store with the same beginnings is published at {address}.", remedy="Name another place."
            )
        if pointer != new or check:
            _write(place, new.publication, data)
        if pointer != new:
            place.swap(POINTER, new.model_dump_json().encode(), tag)
    removed = _prune(place, new, keep) if keep else 0
    return {
        "address": address,
        "generation": new.generation,
        "loads": len(rows),
        "bytes": sum(f.bytes for f in done),
        "uploaded": copying.uploaded,
        "files": copying.files,
        "removed": removed,
        "new": pointer != new,
    }


def current(place: PublicationPlace) -> tuple[Pointer | None, str]:
    """Return the current pointer and its tag, or None if nothing is published.

    Raises StoreError, StoreCorruptError.
    """
    try:
        data, tag = place.read(POINTER, limit=POINTER_BYTES)
    except NotFoundError:
        return None, ""
    return pointer_of(data), tag


def read_publication(place: PublicationPlace, pointer: Pointer) -> Publication:
    """Return the publication that a pointer names. Raise NotFoundError if it is missing, StoreCorruptError."""
    return publication_of(place.read(pointer.publication, limit=PUBLICATION_BYTES)[0], pointer)


@contextmanager
def _ready(store: Backupable) -> Iterator[tuple[PinnedGeneration, list[LoadRow]]]:
    """Yield the pinned ready loads, and their rows in the catalog."""
    while True:
        with store.pin() as pinned:
            number, rows = store.catalog.ready()
            if number != pinned.number:  # others flipped between the two
                continue
            if not rows:
                raise UsageError("Nothing is loaded that could be published.", remedy="hydra-kg load FILE")
            yield pinned, rows
            return


def _check_older(pointer: Pointer, lineage: int, generation: int) -> None:
    """Raise an error if what is published is newer or from another store."""
    if pointer.lineage != lineage:
        raise UsageError("Another store is published there.", remedy="Name another place: each holds one store.")
    if pointer.generation > generation:
        raise StoreError(
            f"What is published there is newer: generation {pointer.generation}, and this store is at {generation}.",
            remedy="Publish from the store that is loaded into. If that one is lost or its pointer forged, remove "
            f"{POINTER} there and publish again; readers then need hydra-kg db follow ADDRESS --back.",
        )


def _published_name(folder: Path) -> str:
    """Return the published name of a folder.

    The name depends on the folder's manifest, which has a checksum of every file.
    """
    digest = hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()[:16]
    return f"{folder.parent.name}/{folder.name}-{digest}"


class _Copying:
    def __init__(self, place: PublicationPlace, check: bool, tell: Callable[[int], None]) -> None:
        self._place, self._check, self._tell = place, check, tell
        self.files = self.uploaded = 0

    def folder(self, folder: Path) -> PublishedFolder:
        """Publish a folder, its manifest last."""
        at = _published_name(folder)
        there = self._place.sizes(f"{at}/")
        files: dict[str, PublishedFile] = {}
        for file, expected, skip in _contents(folder):
            entry, crc = _digests(file, skip)
            if expected is not None and f"{crc:08x}" != expected:
                raise StoreCorruptError(f"{file} is not what was written.", remedy="Run hydra-kg db doctor.")
            name = f"{at}/{file.name}"
            if there.get(name) != entry.bytes or (self._check and _remote(self._place, name) != entry.sha256):
                self._place.put(name, file)
                self.files, self.uploaded = self.files + 1, self.uploaded + entry.bytes
            files[file.name] = entry
            self._tell(entry.bytes)
        return PublishedFolder(path=f"{folder.parent.name}/{folder.name}", at=at, files=files)


def _contents(folder: Path) -> Iterator[tuple[Path, str | None, int]]:
    """Yield the files that a manifest names, each with CRC-32 and skipped bytes, and then the manifest."""
    manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    for entry in manifest["arrays"].values():
        yield folder / entry["file"], entry["crc32"], HEADER
    for name, entry in manifest["files"].items():
        yield folder / name, entry["crc32"], 0
    for name, crc in manifest.get("attached", {}).items():
        yield folder / name, crc, 0
    yield folder / MANIFEST, None, 0


def _digests(file: Path, skip: int) -> tuple[PublishedFile, int]:
    """Return checksums and size of a file, and the CRC-32 of what follows ``skip`` bytes."""
    sha, crc, size = hashlib.sha256(), 0, 0
    with file.open("rb") as opened:
        head = opened.read(skip)
        sha.update(head)
        size += len(head)
        while block := opened.read(CHUNK):
            sha.update(block)
            crc = zlib.crc32(block, crc)
            size += len(block)
    return PublishedFile(bytes=size, sha256=sha.hexdigest()), crc


def _remote(place: PublicationPlace, name: str) -> str:
    sha, at = hashlib.sha256(), 0
    while block := place.block(name, at, at + CHUNK):
        sha.update(block)
        at += len(block)
        if len(block) < CHUNK:
            break
    return sha.hexdigest()


def _write(place: PublicationPlace, name: str, data: bytes) -> None:
    with tempfile.NamedTemporaryFile(prefix="hydra-kg-") as file:
        file.write(data)
        file.flush()
        place.put(name, Path(file.name))


def _prune(place: PublicationPlace, newest: Pointer, keep: int) -> int:
    """Remove all but the newest publications, and the files that only they name. Return the files removed."""
    every = sorted(name for name in place.sizes(_PUBLICATIONS) if name <= newest.publication)
    old, stay = every[:-keep], every[-keep:]
    named = {f"{f.at}/{n}" for p in stay for f in _folders(place, p) for n in f.files}
    gone = {f"{f.at}/{n}" for p in old for f in _folders(place, p) for n in f.files} - named
    for name in (*sorted(gone), *old):
        place.remove(name)
    return len(gone) + len(old)


def _folders(place: PublicationPlace, name: str) -> list[PublishedFolder]:
    return Publication.model_validate_json(place.read(name, limit=PUBLICATION_BYTES)[0]).folders
