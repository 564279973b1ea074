"""Targets and sources of backups: a folder, or a tar file that may be compressed. Their contents are not trusted."""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from re import Pattern
from typing import IO, Any, Final, Protocol, Self

from hydra_kg.errors import StoreCorruptError, UsageError
from hydra_kg.stores.embedded.segments.array_folder import CHUNK, HEADER, sync
from hydra_kg.util.installed import zstandard

ENDINGS: Final = (".tar", ".tar.zst")


def is_archive(path: Path) -> bool:
    """Return True if a name is that of a tar file."""
    return path.name.removesuffix(".part").endswith(ENDINGS)


class BackupTarget(Protocol):
    """Target of a backup: receives files one at a time."""

    def put(self, name: str, file: Path, size: int) -> tuple[int, int]:
        """Store a file. Return its CRC-32, and that of the bytes after the header of an array."""

    def __enter__(self) -> Self:
        """Begin the backup."""

    def __exit__(self, *error: object) -> None:
        """End the backup, which is then durable."""


class Entry:
    """One file of a backup while it is read."""

    def __init__(self, file: IO[bytes], size: int) -> None:
        self.file, self.left, self.crc, self.behind = file, size, 0, 0
        self._read = 0

    def read(self, size: int = CHUNK) -> bytes:
        """Return the next bytes, or b"" at the end. Raise StoreCorruptError if some are missing."""
        first = HEADER if not self._read else size
        try:
            block = self.file.read(min(size, self.left, first))
        except (tarfile.TarError, EOFError, zstandard().ZstdError) as e:
            raise StoreCorruptError(f"The backup cannot be read: {e}.", remedy="Use another backup.") from e
        if not block and self.left:
            raise StoreCorruptError("The backup ends early.", remedy="Use another backup.")
        self.left -= len(block)
        self.crc = zlib.crc32(block, self.crc)
        if self._read:
            self.behind = zlib.crc32(block, self.behind)
        self._read += len(block)
        return block

    def checksum(self) -> int:
        """Read to the end and return the CRC-32 of the whole file."""
        while self.read():
            pass
        return self.crc


class FolderPlace:
    """A folder that contains the backup as a store."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, name: str, file: Path, size: int) -> tuple[int, int]:
        with file.open("rb") as source:
            entry = Entry(source, size)
            self.write(name, entry, size)
        return entry.crc, entry.behind

    def write(self, name: str, entry: Entry, size: int) -> int:
        """Write one file, durably. Return its CRC-32."""
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as out:
            while block := entry.read():
                out.write(block)
        sync(target)
        return entry.crc

    def __enter__(self) -> Self:
        self.path.mkdir(mode=0o700, parents=True)  # a backup holds what was asked, as its store does
        return self

    def __exit__(self, *error: object) -> None:
        for folder in (*(f for f in self.path.rglob("*") if f.is_dir()), self.path):
            sync(folder)


class TarPlace:
    """A tar file, compressed with Zstandard if its name says so."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, name: str, file: Path, size: int) -> tuple[int, int]:
        info = tarfile.TarInfo(name)
        info.size = size
        with file.open("rb") as source:
            entry = Entry(source, size)
            self._tar.addfile(info, _EntryReader(entry))  # type: ignore[arg-type]
        return entry.crc, entry.behind

    def __enter__(self) -> Self:
        self.path.touch(mode=0o600, exist_ok=False)
        self._file = _open(self.path, "wb")
        # Not as a stream ("w|"): one that is left unfinished on a full disk prints a traceback when it is collected.
        self._tar = tarfile.open(fileobj=self._file, mode="w", format=tarfile.PAX_FORMAT)
        return self

    def __exit__(self, *error: object) -> None:
        try:
            if error[0] is None:
                self._tar.close()
        finally:
            self._file.close()
        sync(self.path)


class _EntryReader:
    """An entry in the form that tarfile reads: exactly as many bytes as it asks for."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry

    def read(self, size: int) -> bytes:
        parts = []
        while size and (block := self._entry.read(size)):
            parts.append(block)
            size -= len(block)
        return b"".join(parts)


def entries(path: Path, allowed: Pattern[str]) -> Iterator[tuple[str, Entry, int]]:
    """Yield the name, content and size of every file of a backup.

    Raises UsageError for a name that ``allowed`` does not match (so no path leads out of the folder), for anything
    that is no plain file, and if there is not a backup.
    """
    if path.is_dir():
        for file in sorted(f for f in path.rglob("*") if f.is_file() or f.is_symlink()):
            name = file.relative_to(path).as_posix()
            if name.endswith(("-wal", "-shm")) or name.startswith(("locks/", "staging/", "vectors.sqlite")):
                continue  # a backup that was used as a store
            _check(name, file.is_file() and not file.is_symlink(), allowed)
            with file.open("rb") as source:
                size = file.stat().st_size
                yield name, Entry(source, size), size
        return
    if not path.is_file() or not is_archive(path):
        raise UsageError(
            f"{path} is not a backup.", remedy="Name a folder, a .tar or a .tar.zst of hydra-kg db backup."
        )
    try:
        with _open(path, "rb") as file, tarfile.open(fileobj=file, mode="r|") as tar:
            for member in tar:
                _check(member.name, member.isfile(), allowed)
                content = tar.extractfile(member)
                if content is not None:
                    yield member.name, Entry(content, member.size), member.size
    except (tarfile.TarError, EOFError, OSError, zstandard().ZstdError) as e:
        if isinstance(e, OSError) and e.errno is not None:
            raise
        raise StoreCorruptError(f"{path} cannot be read: {e}.", remedy="Use another backup.") from e


def _check(name: str, plain: bool, allowed: Pattern[str]) -> None:
    if not plain or not allowed.fullmatch(name) or ".." in name:
        raise UsageError(f"{name!r} has no place in a backup.", remedy="Name what hydra-kg db backup made.")


def _open(path: Path, mode: str) -> Any:
    """Return the tar stream of a file, through Zstandard if its name says so."""
    if not path.name.removesuffix(".part").endswith(".zst"):
        return path.open(mode)
    return zstandard().open(path, mode)
