"""The index of each load's names by what they are spelt with: a folder ``index/<load>``, made once, checked, mapped."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from hydra_kg.domain import Floats, LoadInfo
from hydra_kg.errors import StoreCorruptError
from hydra_kg.events import Listener, Progress
from hydra_kg.index.name_vectors import NAME, name_vectors
from hydra_kg.index.shard import EXACT, SHARD, Shard
from hydra_kg.stores.embedded.catalog.locks import Lock
from hydra_kg.stores.embedded.segments.array_folder import REPAIR, FolderWriter, read_manifest, sync
from hydra_kg.stores.embedded.segments.disk_full import remove
from hydra_kg.stores.embedded.segments.format import Segment

NAME_INDEX: Final = "hydra-kg name index"
FOLDER: Final = "index"
_PART: Final = ".part-"
_BATCH: Final = 50_000


def index_folder(store: Path, load: str) -> Path:
    """Where the index of a load's names lies."""
    return store / FOLDER / load


def rows_of(segment: Segment) -> int:
    """The names of a load; those of a store of an older format are counted."""
    with closing(segment.open_texts()) as db:
        return int(db.execute("SELECT coalesce(max(id), 0) FROM name").fetchone()[0])


def opened(store: Path, info: LoadInfo, segment: Segment) -> list[Shard] | None:
    """The index of a load, or None where there is none, it is damaged, or it is of other names or vectors."""
    folder = index_folder(store, segment.id)
    try:
        manifest = read_manifest(folder, magic=NAME_INDEX)
        if (manifest.get("vectors"), manifest.get("load")) != (NAME, info.checksum):
            return None
        return [Shard.read(folder / file, noted) for file, noted in manifest["shards"].items()]
    except (StoreCorruptError, OSError, KeyError, AttributeError, TypeError):
        return None


def made(segment: Segment, *, listener: Listener, exact: int = EXACT, most: int = SHARD) -> Iterator[Shard]:
    """The shards of a load's names, one held at a time, in the order of popularity that names are numbered by."""
    rows = rows_of(segment)
    progress = Progress(
        "load.index", total=rows, unit="names", listener=listener, at_once=True, more={"load": segment.id}
    )
    for start in range(0, rows, most):
        number = min(most, rows - start)
        yield Shard.made(_vectors(segment, start, start + number, progress), rows=number, exact=rows <= exact)


def make(store: Path, info: LoadInfo, segment: Segment, *, listener: Listener) -> None:
    """Make and keep the index of a load; what another process made meanwhile stays. Killed, it leaves what was there.

    Raises OSError where nothing can be written."""
    with Lock(store / "locks" / "index") as lock:
        lock.exclusive(wait=True)
        parent = store / FOLDER
        parent.mkdir(mode=0o700, exist_ok=True)
        for left in parent.glob(f"{_PART}*"):
            remove(left)
        if opened(store, info, segment) is not None:
            return
        folder, part, begun = index_folder(store, segment.id), parent / f"{_PART}{os.getpid()}", time.monotonic()
        try:
            with FolderWriter(part, magic=NAME_INDEX) as out:
                noted = {}
                for number, shard in enumerate(made(segment, listener=listener)):
                    file = f"names-{number}.faiss"
                    noted[file] = shard.write(part / file)
                    out.add(file)
                seconds = round(time.monotonic() - begun, 3)
                out.finish(vectors=NAME, load=info.checksum, shards=noted, seconds=seconds)
            remove(folder)
            part.rename(folder)
            sync(parent)
        finally:
            remove(part)


def noted(store: Path, load: str) -> Mapping[str, Any] | None:
    """What the manifest of a load's index says: ``shards`` with rows and bytes, ``seconds``; None without one."""
    try:
        return read_manifest(index_folder(store, load), magic=NAME_INDEX)
    except (StoreCorruptError, OSError):
        return None


def unused(store: Path, loads: Sequence[str]) -> list[Path]:
    """Folders that belong to none of the loads; what is being made is none of them."""
    parent = store / FOLDER
    folders = sorted(parent.iterdir()) if parent.is_dir() else []
    return [f for f in folders if f.name not in loads and not f.name.startswith(_PART)]


def _vectors(segment: Segment, start: int, end: int, progress: Progress) -> Iterator[Floats]:
    """Vectors of the names numbered from ``start`` + 1 to ``end``."""
    with closing(segment.open_texts()) as db:
        for at in range(start, end, _BATCH):
            found = db.execute(
                "SELECT fold FROM name WHERE id > ? AND id <= ? ORDER BY id", (at, min(at + _BATCH, end))
            ).fetchall()
            if len(found) != min(_BATCH, end - at):
                raise StoreCorruptError(f"{segment.texts} does not number its names one by one.", remedy=REPAIR)
            yield name_vectors([fold for (fold,) in found])
            progress.add(len(found))
