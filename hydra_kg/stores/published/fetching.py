"""Fetches folders of a published store, several files at once, each compared with its checksum as it is written."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import NotFoundError, StoreCorruptError, StoreError
from hydra_kg.stores.embedded.segments.array_folder import MANIFEST, sync
from hydra_kg.stores.published.documents import AGAIN, PublishedFile, PublishedFolder
from hydra_kg.stores.published.publication_places import PublicationPlace
from hydra_kg.util.source_code import sha256_of

_AT_ONCE: Final = 4  # files: a connection alone seldom fills the line, and each disk write is waited for
_ATTEMPTS: Final = 3  # that bring nothing, one after the other
_WAIT: Final = 0.2  # seconds before a second attempt, twice as long before each further one

Wanted = tuple[str, Path, PublishedFile]
"""The name of a published file, the path where it goes, and its length and checksum."""


def fetch(place: PublicationPlace, folders: Sequence[PublishedFolder], target: Path, go_on: Callable[[], bool]) -> None:
    """Fetch folders to below ``target``, resuming earlier attempts.

    Raises NotFoundError, StoreCorruptError, OSError, and StoreError if they do not arrive or ``go_on`` returns False.
    """
    files: list[Wanted] = []
    for f in folders:
        (target / f.path).mkdir(parents=True, exist_ok=True, mode=0o700)
        files += [(f"{f.at}/{name}", target / f.path / name, entry) for name, entry in f.files.items()]
    _Fetching(place, sorted(files, key=lambda file: -file[2].bytes), go_on).run()
    for f in folders:
        if _list_named_files(target / f.path / MANIFEST) != f.files.keys():
            raise StoreCorruptError(f"{f.at} contains other files than its manifest lists.", remedy=AGAIN)
        sync(target / f.path)


class _Fetching:
    """Fetches files in threads that do not delay the end of the process: a network may be silent for a minute."""

    def __init__(self, place: PublicationPlace, files: Sequence[Wanted], go_on: Callable[[], bool]) -> None:
        self._place, self._go_on = place, go_on
        self._files, self._mutex = iter(files), threading.Lock()
        self._faults: list[BaseException] = []

    def run(self) -> None:
        threads = [threading.Thread(target=self._work, name="hydra-kg fetch", daemon=True) for _ in range(_AT_ONCE)]
        try:
            for one in threads:
                one.start()
            for one in threads:
                one.join()
        except BaseException as e:
            self._faults.insert(0, e)
        if self._faults:
            raise self._faults[0]

    def _work(self) -> None:
        try:
            while (file := self._next()) is not None:
                self._file(*file)
        except BaseException as e:  # raised again where all are waited for
            self._faults.append(e)

    def _next(self) -> Wanted | None:
        with self._mutex:
            return None if self._faults else next(self._files, None)

    def _file(self, name: str, file: Path, entry: PublishedFile) -> None:
        if file.is_file() and file.stat().st_size == entry.bytes and sha256_of(file) == entry.sha256:
            return
        if not self._fetched(name, file, entry) and not self._fetched(name, file, entry):
            raise StoreCorruptError(f"{name} is not what was published.", remedy=AGAIN)

    def _fetched(self, name: str, file: Path, entry: PublishedFile) -> bool:
        """Fetch one file, continuing an earlier attempt. Return False if it is not what was published."""
        part = file.with_name(f"{file.name}.part")
        sha = hashlib.sha256()
        with part.open("a+b") as out:
            out.seek(0)
            if part.stat().st_size > entry.bytes:
                out.truncate(0)
            while block := out.read(1 << 20):
                sha.update(block)
            at = out.tell()
            for block in _pieces(self._place, name, at, entry.bytes):
                if len(block) > entry.bytes - at:
                    break
                out.write(block)
                sha.update(block)
                at += len(block)
                if at < entry.bytes and (self._faults or not self._go_on()):
                    raise StoreError("Fetching was ended.")
            out.flush()
            os.fsync(out.fileno())
        if at != entry.bytes or sha.hexdigest() != entry.sha256:
            part.unlink()
            return False
        part.replace(file)
        return True


def _pieces(place: PublicationPlace, name: str, at: int, end: int) -> Iterator[bytes]:
    """Yield the bytes of a file, and continue where the connection was cut."""
    failed = 0
    while at < end:
        try:
            for block in place.blocks(name, at, end):
                yield block
                at, failed = at + len(block), 0
            return
        except NotFoundError:
            raise
        except StoreError:
            failed += 1
            if failed == _ATTEMPTS:
                raise
            time.sleep(_WAIT * 2 ** (failed - 1))


def _list_named_files(manifest: Path) -> set[str]:
    """Return the files that a manifest names, and the manifest itself. Raise StoreCorruptError."""
    try:
        doc: Mapping[str, Any] = json.loads(manifest.read_text("utf-8"))
        arrays = {str(entry["file"]) for entry in doc["arrays"].values()}
        return {MANIFEST, *arrays, *doc["files"], *doc.get("attached", {})}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        raise StoreCorruptError(f"{manifest} is not a manifest.", remedy=AGAIN) from e
