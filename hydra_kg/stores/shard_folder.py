"""The index of one load's names, in its own folder: made once, checked, memory-mapped, for any kind of store."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hydra_kg.errors import StoreCorruptError
from hydra_kg.index.shard import NAME, Shard
from hydra_kg.stores.embedded.catalog.locks import Lock
from hydra_kg.stores.embedded.segments.array_folder import Array, Folder, FolderWriter, read_manifest, sync
from hydra_kg.stores.embedded.segments.disk_full import remove

NAME_INDEX: Final = "hydra-kg name index"
FOLDER: Final = "index"
_PART: Final = ".part-"


def index_folder(base: Path, load: str) -> Path:
    """Return the folder of a load's name index.

    It is below ``base``, the folder of a store or of a server's local files.
    """
    return base / FOLDER / load


def open_shards(folder: Path, checksum: str) -> tuple[list[Shard], Mapping[str, Array]] | None:
    """Return the shards and stored arrays, or None if missing, damaged, or made for another load or vectors."""
    try:
        files = Folder(folder, magic=NAME_INDEX)
        manifest = files.manifest
        if (manifest.get("vectors"), manifest.get("load")) != (NAME, checksum):
            return None
        return [Shard.read(folder / file, noted) for file, noted in manifest["shards"].items()], files.arrays
    except (StoreCorruptError, OSError, KeyError, AttributeError, TypeError):
        return None


def make(folder: Path, checksum: str, shards: Iterable[Shard], more: Callable[[], Mapping[str, Array]]) -> None:
    """Store shards as they come, then the arrays of ``more``, unless another process already did. Raise OSError."""
    parent = folder.parent
    with Lock(parent.parent / "locks" / FOLDER) as lock:
        lock.exclusive(wait=True)
        parent.mkdir(mode=0o700, exist_ok=True)
        for left in parent.glob(f"{_PART}*"):
            remove(left)
        if open_shards(folder, checksum) is not None:
            return
        part, begun = parent / f"{_PART}{os.getpid()}", time.monotonic()
        try:
            with FolderWriter(part, magic=NAME_INDEX) as out:
                entries = {}
                for number, shard in enumerate(shards):
                    file = f"names-{number}.faiss"
                    entries[file] = shard.write(part / file)
                    out.add(file)
                for name, values in more().items():
                    out.save(name, values)
                seconds = round(time.monotonic() - begun, 3)
                out.finish(vectors=NAME, load=checksum, shards=entries, seconds=seconds)
            remove(folder)
            part.rename(folder)
            sync(parent)
        finally:
            remove(part)


def read_index_manifest(folder: Path) -> Mapping[str, Any] | None:
    """Return the manifest of an index, or None if there is none.

    It contains ``shards`` with rows and bytes, ``seconds``, and the checksum of the ``load``.
    """
    try:
        return read_manifest(folder, magic=NAME_INDEX)
    except (StoreCorruptError, OSError):
        return None


def find_unused(base: Path, loads: Sequence[str]) -> list[Path]:
    """Return the index folders that belong to none of the loads, without those that are being made."""
    parent = base / FOLDER
    folders = sorted(parent.iterdir()) if parent.is_dir() else []
    return [f for f in folders if f.name not in loads and not f.name.startswith(_PART)]
