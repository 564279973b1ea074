"""Accept addresses of dumps as files of ``hydra-kg load``: fetched next to the store, loaded, and removed."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

import click

from hydra_kg.cli.terminal import note
from hydra_kg.text.folding import bytes_text
from hydra_kg.text.plain_text import clean

if TYPE_CHECKING:
    from hydra_kg.web.download import DownloadPart, Remote

_SCHEMES: Final = ("https://", "http://", "s3://", "gs://")
_FOLDER: Final = "downloads"
_LOOK: Final = 1 << 16

BEGINNING: Final = 4 << 20
"""Bytes that a dry run reads. An object store is asked for 32 MB at a time."""


def is_download(text: object) -> bool:
    """Return whether a text is the address of a file that has to be fetched."""
    return isinstance(text, str) and text.lower().startswith(_SCHEMES)


class Downloads:
    """Files fetched for a load, and their addresses. ``beginnings``: partly fetched files, with total/part."""

    def __init__(self, store: str) -> None:
        from hydra_kg.stores import store_path

        own = store_path(store)
        self._folder = own.with_name(f"{own.name}.{_FOLDER}")
        self._made: list[Path] = []
        self.beginnings: dict[Path, float] = {}

    def fetched(
        self, given: Sequence[Path | str], *, dry_run: bool, no_network: bool
    ) -> tuple[tuple[Path | str, ...], dict[Path, str]]:
        """Fetch each address unless it is on disk; return files and origins.

        ``dry_run``: fetch only temporary beginnings. Raise UsageError, NetworkError, NotFoundError, StoreError or
        DiskFullError.
        """
        if not any(map(is_download, given)):
            return tuple(given), {}
        from hydra_kg.errors import NetworkError
        from hydra_kg.web.download import download, show_address

        files: list[Path | str] = []
        origins: dict[Path, str] = {}
        for one in given:
            if not isinstance(one, str) or not is_download(one):
                files.append(one)
                continue
            plain = show_address(one)
            if no_network:
                raise NetworkError(f"{plain} needs the network, which --no-network forbids.", remedy="Name a file.")
            name = re.sub(r"[^A-Za-z0-9._-]", "_", plain.rstrip("/").rpartition("/")[2])[-120:].lstrip(".") or "dump"
            if dry_run:
                path = self._begun(_remote(one), name)
                files.append(path)
                origins[path] = plain
                continue
            folder = self._folder / hashlib.sha256(plain.encode()).hexdigest()[:12]
            path = folder / name
            self._made.append(folder)
            if not path.is_file():
                note(f"Fetching {clean(plain)}")
                try:
                    download(_remote(one), path, tell=_telling())
                except NetworkError as e:
                    raise NetworkError(
                        f"{plain}: {e.args[0]}", remedy=e.remedy or "The same command goes on from here."
                    ) from e
            files.append(path)
            origins[path] = plain
        return tuple(files), origins

    def _begun(self, remote: Remote, name: str) -> Path:
        """Return the first lines of a file, unpacked if it is packed; all of it if it is short."""
        from hydra_kg.errors import LoadError
        from hydra_kg.ingest.contract.feed import chunks
        from hydra_kg.web.download import beginning

        folder = click.get_current_context().with_resource(tempfile.TemporaryDirectory(prefix="hydra-kg-"))
        path = Path(folder) / name
        times = beginning(remote, path, BEGINNING)
        if times == 1:
            return path
        cut = path.with_name(f"{path.name}.cut")
        path.rename(cut)
        with path.open("wb") as out, suppress(LoadError):  # it ends where it was cut
            for data in chunks(cut):
                out.write(data)
        with path.open("r+b") as out:
            out.truncate(_last_line(out))
        cut.unlink()
        self.beginnings[path] = times
        return path

    def remove(self) -> None:
        """Remove the fetched files, because they are loaded."""
        for folder in self._made:
            shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):
            self._folder.rmdir()


class BucketFile:
    """A file in an object store (see :class:`hydra_kg.web.download.Remote`)."""

    def __init__(self, address: str) -> None:
        from hydra_kg.errors import UsageError
        from hydra_kg.stores.published.bucket import Bucket

        scheme, _, rest = address.partition("://")
        bucket, _, self._name = rest.partition("/")
        if not bucket or not self._name:
            raise UsageError(f"{address} names no file in a bucket.", remedy="Write it as s3://BUCKET/FILE.")
        self._bucket = Bucket(f"{scheme}://{bucket}")

    @contextmanager
    def part(self, start: int, tag: str) -> Iterator[DownloadPart]:
        from hydra_kg.errors import NetworkError, NotFoundError, StoreError
        from hydra_kg.web.download import SPAN, DownloadPart

        try:
            total, found = self._bucket.head(self._name)
            begin = start if found == tag else 0
            end = min(begin + SPAN, total)
            data = self._bucket.block(self._name, begin, end)
            if self._bucket.head(self._name) != (total, found):
                raise NetworkError("The file changed while it was fetched.")
        except NotFoundError:
            raise
        except StoreError as e:
            raise NetworkError(e.args[0], remedy=e.remedy) from e
        yield DownloadPart(begin, total, found, iter((data,)))


def _remote(address: str) -> Remote:
    if address.lower().startswith(("s3://", "gs://")):
        return BucketFile(address)
    from hydra_kg.web.download import HttpsFile

    return HttpsFile(address)


def _last_line(file: BinaryIO) -> int:
    """Return where the last whole line of a file ends, or the end of the file if there is no line."""
    size = file.seek(0, os.SEEK_END)
    at = size
    while at > 0:
        at = max(0, at - _LOOK)
        file.seek(at)
        if (found := file.read(_LOOK).rfind(b"\n")) >= 0:
            return at + found + 1
    return size


def _telling(step: int = 256 << 20) -> Callable[[int, int], None]:
    last = [0]

    def tell(done: int, total: int) -> None:
        if done - last[0] >= step:
            last[0] = done
            note(f"  {bytes_text(done)} of {bytes_text(total) if total >= 0 else 'what is not said'}")

    return tell
