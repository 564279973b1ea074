"""Folders of checked arrays: written once as a stream, checked before use, and opened memory-mapped."""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hydra_kg.errors import StoreCorruptError

VERSION: Final = 5
READABLE: Final = frozenset({1, 2, 3, 4, 5})
"""Readable versions of the format (docs/store-format.md).

Version 1 stored the details of facts in SQLite; version 2 shared no records; version 3 had a line for each fact;
version 4 stored names in SQLite.
"""
MANIFEST: Final = "manifest.json"
_OWN: Final = "crc32"  # of the manifest itself
_WITHOUT_OWN: Final = frozenset(
    {"magic", "version", "arrays", "files", "sources", "counts", "checksum", "file", "loads", "merged", "unfused"}
)
"""Fields of a manifest from a program that wrote no checksum.

A manifest with more fields has a checksum whose name was damaged.
"""
_ATTACHED: Final = "attached"  # files that no reader needs, with their CRC-32
HEADER: Final = 128  # bytes before the data of every array: a .npy header of fixed length
SMALL: Final = 1 << 16  # smaller files are read, not mapped: a mapping costs a file descriptor
CHUNK: Final = 1 << 22
_AT_ONCE: Final = 2  # files that are read again

REPAIR: Final = "Run `hydra-kg db doctor`; if it names this load, drop the source and load it again."

Array = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]
Unsigned = npt.NDArray[np.unsignedinteger[Any]]


def header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """Return the first 128 bytes of an array file: version 1.0 of the .npy format, padded to a fixed size.

    The fixed size allows the header to be written last.
    """
    text = repr({"descr": dtype.str, "fortran_order": False, "shape": shape}).encode()
    return b"\x93NUMPY\x01\x00" + (HEADER - 10).to_bytes(2, "little") + text.ljust(HEADER - 11) + b"\n"


class FileWriter:
    """Write-once file without a user-space buffer, so that every write error is raised at the call.

    ``crc`` is the checksum of everything after byte ``skip``. The first ``skip`` bytes are left out until ``close``.
    """

    def __init__(self, path: Path, *, skip: int = 0) -> None:
        self.path = path
        self.crc = 0
        self._file = path.open("wb", buffering=0)
        self._file.seek(skip)

    def write(self, data: memoryview | bytes) -> None:
        """Append data."""
        self.crc = zlib.crc32(data, self.crc)
        self._all(data)

    def close(self, head: bytes = b"") -> int:
        """Write the bytes that were left out at the beginning. Return the size of the file."""
        self._file.seek(0)
        self._all(head)
        size = os.fstat(self._file.fileno()).st_size
        self._file.close()
        return size

    def abandon(self) -> None:
        """Close the file as it is. Safe after ``close``."""
        self._file.close()

    def _all(self, data: memoryview | bytes) -> None:
        view = memoryview(data)
        while view.nbytes:
            view = view[self._file.write(view) :]


class ArrayWriter:
    """Writes one array along the first axis in bounded memory; ``columns`` > 0 makes it (n, columns)."""

    def __init__(self, path: Path, dtype: npt.DTypeLike, *, columns: int = 0) -> None:
        self.path = path
        self.dtype = np.dtype(dtype)
        self.columns = columns
        self.rows = 0
        self._file = FileWriter(path, skip=HEADER)

    def append(self, values: Array) -> None:
        """Append rows, converted to the stored type. The caller makes sure that they fit."""
        data = np.ascontiguousarray(values, self.dtype)
        if len(data):
            self._file.write(data.reshape(-1).view(np.uint8).data)
            self.rows += len(data)

    def widen(self, dtype: npt.DTypeLike) -> None:
        """Store another type from here on. Rows that were written before are written again."""
        old, rows, entry = self.path.with_suffix(".old"), self.rows, self.close()
        self.path.rename(old)
        old_array = open_array(old.parent, {**entry, "file": old.name})
        self.dtype, self.rows, self._file = np.dtype(dtype), 0, FileWriter(self.path, skip=HEADER)
        for i in range(0, rows, CHUNK):
            self.append(old_array[i : i + CHUNK])
        old.unlink()

    def read(self, start: int, count: int) -> Array:
        """Return a copy of up to ``count`` rows. The array must have one column and be closed."""
        return np.fromfile(self.path, self.dtype, count, offset=HEADER + start * self.dtype.itemsize)

    def close(self) -> dict[str, Any]:
        """Finish the file. Return its entry for the manifest."""
        shape = (self.rows, self.columns) if self.columns else (self.rows,)
        size = self._file.close(header(self.dtype, shape))
        return {
            "file": self.path.name,
            "dtype": self.dtype.str,
            "shape": list(shape),
            "bytes": size,
            "crc32": f"{self._file.crc:08x}",
        }

    def abandon(self) -> None:
        """Close the file as it is. Safe after ``close``."""
        self._file.abandon()


class FolderWriter:
    """Writes a folder of arrays and files that becomes valid with its manifest, which is written last.

    A thread makes the files durable. Leaving the ``with`` block closes whatever an error left open.
    """

    def __init__(self, path: Path, *, magic: str) -> None:
        self.path = path
        self.magic = magic
        self.arrays: dict[str, dict[str, Any]] = {}
        self.files: dict[str, dict[str, Any]] = {}
        self._open: list[ArrayWriter | FileWriter] = []
        self._syncs = ThreadPoolExecutor(1, "hydra-kg sync")
        self._durable: list[Future[None]] = []
        path.mkdir(parents=True, exist_ok=True)

    def array(self, name: str, dtype: npt.DTypeLike, *, columns: int = 0, folder: Path | None = None) -> ArrayWriter:
        """Return a writer for one array. Pass it to :meth:`done`, unless it is scratch in a ``folder``."""
        writer = ArrayWriter((folder or self.path) / f"{name}.npy", dtype, columns=columns)
        self._open.append(writer)
        return writer

    def file(self, name: str) -> FileWriter:
        """Return a writer for another file. Pass it to :meth:`done` as well."""
        writer = FileWriter(self.path / name)
        self._open.append(writer)
        return writer

    def done(self, writer: ArrayWriter | FileWriter) -> None:
        """Finish an array or file and enter it in the manifest."""
        if isinstance(writer, ArrayWriter):
            self.arrays[writer.path.stem] = writer.close()
        else:
            self.files[writer.path.name] = {"bytes": writer.close(), "crc32": f"{writer.crc:08x}"}
        self._durable.append(self._syncs.submit(sync, writer.path))

    def save(self, name: str, values: Array) -> None:
        """Write a whole array at once."""
        writer = self.array(name, values.dtype, columns=values.shape[1] if values.ndim > 1 else 0)
        writer.append(values)
        self.done(writer)

    def add(self, name: str) -> None:
        """Enter a file that other code wrote. It must be complete."""
        path = self.path / name
        self._durable.append(self._syncs.submit(sync, path))
        self.files[name] = {"bytes": path.stat().st_size, "crc32": f"{checksum(path):08x}"}

    def finish(self, **entries: Any) -> dict[str, Any]:
        """Make everything durable, then the manifest, then the folder."""
        for one in self._durable:
            one.result()
        # In an order that does not depend on which of two threads was the first.
        arrays, files = dict(sorted(self.arrays.items())), dict(sorted(self.files.items()))
        manifest = {"magic": self.magic, "version": VERSION, "arrays": arrays, "files": files, **entries}
        write_manifest(self.path, manifest)
        sync(self.path.parent)
        sync(self.path.parent.parent)  # which may have got that one just now
        return manifest

    def __enter__(self) -> FolderWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self._syncs.shutdown(cancel_futures=True)
        for writer in self._open:
            writer.abandon()


class Folder:
    """A folder of arrays, opened and checked for magic, version and file lengths.

    Raises StoreCorruptError, so that no later access meets a truncated mapping.
    """

    def __init__(self, path: Path, *, magic: str) -> None:
        self.path = path
        self.manifest = read_manifest(path, magic=magic)
        self.arrays: dict[str, Array] = {}
        for name, entry in self.manifest["arrays"].items():
            self.arrays[name] = open_array(path, entry)
        for name, entry in self.manifest["files"].items():
            _check_size(path / name, entry["bytes"])

    def check_integers(self) -> None:
        """Raise StoreCorruptError if an array is not one column of integers, which can be used as places."""
        for name, array in self.arrays.items():
            if array.ndim != 1 or array.dtype.kind not in "iu":
                raise StoreCorruptError(f"{self.path}: array {name} is not one column of integers.", remedy=REPAIR)

    def bytes(self, name: str) -> Bytes:
        """Return a whole file as uint8."""
        if name not in self.manifest["files"]:
            raise StoreCorruptError(f"{self.path / MANIFEST} does not name {name}.", remedy=REPAIR)
        return np.frombuffer(_map(self.path / name, self.manifest["files"][name]["bytes"]), np.uint8)


def read_manifest(path: Path, *, magic: str) -> dict[str, Any]:
    """Return the manifest of a folder after checking its magic, version and form. Raise StoreCorruptError."""
    file = path / MANIFEST
    try:
        manifest = json.loads(file.read_text("utf-8"))
    except FileNotFoundError as e:
        raise StoreCorruptError(f"{file} is missing: the folder was not finished or is foreign.", remedy=REPAIR) from e
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as e:
        raise StoreCorruptError(f"{file} is damaged ({e}).", remedy=REPAIR) from e
    if not isinstance(manifest, dict) or manifest.get("magic") != magic:
        raise StoreCorruptError(f"{file} does not describe a {magic}.", remedy=REPAIR)
    if manifest.get("version") not in READABLE:
        raise StoreCorruptError(
            f"{file} has format version {manifest.get('version')}, and this program reads {VERSION}.",
            remedy="Use the version of hydra-kg that wrote it, or load its sources again.",
        )
    whole = manifest.pop(_OWN) == _checksum_of(manifest) if _OWN in manifest else manifest.keys() <= _WITHOUT_OWN
    if not whole:
        raise StoreCorruptError(f"{file} is not what was written.", remedy=REPAIR)
    if not isinstance(manifest.get("arrays"), dict) or not isinstance(manifest.get("files"), dict):
        raise StoreCorruptError(f"{file} is damaged (no list of files).", remedy=REPAIR)
    return manifest


def write_manifest(path: Path, manifest: Mapping[str, Any]) -> None:
    """Write a manifest into its folder, durably and atomically."""
    part = path / (MANIFEST + ".part")
    part.write_text(json.dumps({**manifest, _OWN: _checksum_of(manifest)}), "utf-8")
    sync(part)
    part.rename(path / MANIFEST)
    sync(path)


def _checksum_of(manifest: Mapping[str, Any]) -> str:
    """Return the CRC-32 of the contents of a manifest, whatever its formatting.

    Manifests of older programs have no checksum.
    """
    return f"{zlib.crc32(json.dumps(manifest, sort_keys=True).encode()):08x}"


def note_attached(path: Path, name: str, *, magic: str) -> None:
    """Enter a file that was added later into the manifest, if the folder is complete."""
    if (path / MANIFEST).is_file():
        manifest = read_manifest(path, magic=magic)
        attached = {**manifest.get(_ATTACHED, {}), name: f"{checksum(path / name):08x}"}
        write_manifest(path, {**manifest, _ATTACHED: attached})


def verify(path: Path, *, magic: str) -> None:
    """Read every byte of a folder and compare checksums. Raises StoreCorruptError at the first difference."""
    manifest = Folder(path, magic=magic).manifest
    checks = [(path / entry["file"], entry["crc32"], HEADER) for entry in manifest["arrays"].values()]
    checks += [(path / name, entry["crc32"], 0) for name, entry in manifest["files"].items()]
    checks += [(path / name, crc, 0) for name, crc in manifest.get(_ATTACHED, {}).items()]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for _ in pool.map(lambda check: _check_crc(*check), checks):
            pass


def checksum(path: Path, *, skip: int = 0) -> int:
    """Return the CRC-32 of a file from byte ``skip`` on."""
    crc = 0
    with path.open("rb") as f:
        f.seek(skip)
        while block := f.read(CHUNK):
            crc = zlib.crc32(block, crc)
    return crc


def sync(path: Path) -> None:
    """Make a file or folder durable."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _check_crc(path: Path, expected: str, skip: int = 0) -> None:
    if (found := f"{checksum(path, skip=skip):08x}") != expected:
        raise StoreCorruptError(
            f"{path} has checksum {found} instead of {expected}: its content changed.", remedy=REPAIR
        )


def _check_size(path: Path, expected: int) -> None:
    try:
        size = path.stat().st_size
    except FileNotFoundError as e:
        raise StoreCorruptError(f"{path} is missing.", remedy=REPAIR) from e
    if size != expected:
        raise StoreCorruptError(
            f"{path} has {size} bytes instead of {expected}: truncated or overwritten.", remedy=REPAIR
        )


def _map(path: Path, size: int) -> bytes | mmap.mmap:
    _check_size(path, size)
    with path.open("rb") as f:
        if size <= SMALL:
            data = f.read()
            if len(data) != size:
                raise StoreCorruptError(f"{path} changed while it was read.", remedy=REPAIR)
            return data
        return mmap.mmap(f.fileno(), size, access=mmap.ACCESS_READ)


def open_array(folder: Path, entry: Mapping[str, Any]) -> Array:
    """Open one array read-only by its manifest entry. Raise StoreCorruptError."""
    try:
        path, dtype, size = folder / entry["file"], np.dtype(entry["dtype"]), int(entry["bytes"])
        shape = tuple(int(x) for x in entry["shape"])
    except (KeyError, TypeError, ValueError) as e:
        raise StoreCorruptError(f"{folder / MANIFEST} is damaged ({e}).", remedy=REPAIR) from e
    count = int(np.prod(shape, dtype=np.int64))
    if path.parent != folder or dtype.hasobject or size != HEADER + count * dtype.itemsize:
        raise StoreCorruptError(f"{folder / MANIFEST} is damaged (array {path.name}).", remedy=REPAIR)
    data = _map(path, size)
    if bytes(data[:HEADER]) != header(dtype, shape):
        raise StoreCorruptError(f"{path} is not the array that its manifest describes.", remedy=REPAIR)
    return np.frombuffer(data, dtype, count, HEADER).reshape(shape)
