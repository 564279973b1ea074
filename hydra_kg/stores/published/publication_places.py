"""A place where a store is published: a folder or a bucket, with the few operations that are needed."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Protocol

from hydra_kg.errors import NoStoreError, StoreError, UsageError
from hydra_kg.stores.common.refusals import replaced_meanwhile_error
from hydra_kg.stores.embedded.catalog.catalog import FILE as CATALOG
from hydra_kg.stores.embedded.segments.array_folder import sync
from hydra_kg.stores.embedded.segments.disk_full import disk_errors
from hydra_kg.stores.published.addresses import folder_of, is_bucket

PIECE: Final = 4 << 20
"""Bytes of a long file that are read at once."""


class PublicationPlace(Protocol):
    """Files by name. Every method raises StoreError for errors of the network or the disk."""

    def read(self, name: str, *, limit: int) -> tuple[bytes, str]:
        """Return a small file and the tag of this edition. Raise NoStoreError, or StoreError if it is too long."""

    def block(self, name: str, start: int, end: int) -> bytes:
        """Return bytes ``start`` to ``end`` of a file, fewer if it is shorter. Raise NoStoreError."""

    def blocks(self, name: str, start: int, end: int) -> Iterator[bytes]:
        """Yield bytes ``start`` to ``end`` of a file in pieces. Raise StoreError if the file is cut off."""

    def sizes(self, prefix: str) -> dict[str, int]:
        """Return the names below ``prefix``, which ends in a slash, and the length of each file."""

    def put(self, name: str, file: Path) -> None:
        """Write a file, which becomes visible only when it is complete."""

    def swap(self, name: str, data: bytes, tag: str) -> None:
        """Replace the edition ``tag`` of a small file. Raise StoreBusyError if it has another edition.

        The tag "" means that there is no such file yet.
        """

    def remove(self, name: str) -> None:
        """Remove a file."""


def open_place(address: str, *, make: bool = False) -> PublicationPlace:
    """Return the place of an address. Raise UsageError, NoStoreError.

    With ``make``, a folder that does not exist is made.
    """
    if is_bucket(address):
        from hydra_kg.stores.published.bucket import Bucket

        return Bucket(address)
    scheme, separator, _ = address.partition("://")
    if separator and scheme != "file":
        raise UsageError(
            f"A store is not published to {scheme}://.", remedy="Name a folder, file://…, s3://… or gs://…."
        )
    folder = folder_of(address)
    if make:
        if (folder / CATALOG).exists():
            raise UsageError(f"{folder} is a store itself.", remedy="Publish to another folder.")
        with disk_errors(folder, "publishing"):
            folder.mkdir(parents=True, exist_ok=True)
    elif not folder.is_dir():
        raise NoStoreError(f"There is no folder {folder}.", remedy="hydra-kg db publish makes it.")
    return PublishedPlace(folder)


class PublishedPlace:
    """A folder, perhaps on another machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, name: str, *, limit: int) -> tuple[bytes, str]:
        data = self.block(name, 0, limit + 1)
        if len(data) > limit:
            raise StoreError(f"{self.folder / name} is longer than {limit:,} bytes.")
        return data, hashlib.sha256(data).hexdigest()

    def block(self, name: str, start: int, end: int) -> bytes:
        try:
            with (self.folder / name).open("rb") as file:
                file.seek(start)
                return file.read(end - start)
        except FileNotFoundError:
            raise NoStoreError(f"There is no {self.folder / name}.") from None
        except OSError as e:
            raise StoreError(f"{self.folder / name} cannot be read ({e.strerror}).") from e

    def blocks(self, name: str, start: int, end: int) -> Iterator[bytes]:
        for at in range(start, end, PIECE):
            yield self.block(name, at, min(at + PIECE, end))

    def sizes(self, prefix: str) -> dict[str, int]:
        found = {}
        for file in sorted((self.folder / prefix).rglob("*")):
            if file.is_file() and not file.name.startswith("."):
                found[file.relative_to(self.folder).as_posix()] = file.stat().st_size
        return found

    def put(self, name: str, file: Path) -> None:
        target = self.folder / name
        part = target.with_name(f".{target.name}.{os.getpid()}")
        with disk_errors(self.folder, "publishing"):
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                shutil.copyfile(file, part)
                sync(part)
                part.replace(target)
            finally:
                part.unlink(missing_ok=True)

    def swap(self, name: str, data: bytes, tag: str) -> None:
        target = self.folder / name
        part = target.with_name(f".{target.name}.{os.getpid()}")
        with disk_errors(self.folder, "publishing"), self._alone():
            old = target.read_bytes() if target.is_file() else None
            if ("" if old is None else hashlib.sha256(old).hexdigest()) != tag:
                raise replaced_meanwhile_error(name)
            try:
                part.write_bytes(data)
                sync(part)
                part.replace(target)
            finally:
                part.unlink(missing_ok=True)
            sync(self.folder)

    def remove(self, name: str) -> None:
        (self.folder / name).unlink(missing_ok=True)
        with suppress(OSError):
            (self.folder / name).parent.rmdir()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with (self.folder / ".lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
