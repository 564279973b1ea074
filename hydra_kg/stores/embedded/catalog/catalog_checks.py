"""Checks that the catalog is the one last written here and unchanged, and rebuilds a lost or damaged one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from hydra_kg.domain import Source
from hydra_kg.errors import StoreCorruptError, StoreError, UsageError
from hydra_kg.stores.embedded.catalog.catalog import FILE, REBUILD, Catalog, LoadRow, complete_loads, set_content
from hydra_kg.stores.embedded.catalog.generation import GENERATION, PinnedGeneration
from hydra_kg.stores.embedded.catalog.locks import builder_lock
from hydra_kg.stores.embedded.segments.array_folder import read_manifest, verify
from hydra_kg.stores.embedded.segments.format import SEGMENT, Segment
from hydra_kg.stores.embedded.segments.merged_adjacency import MERGED
from hydra_kg.util.sidecar_db import SEAL

_COPY: Final = "copy.json"
"""The file that marks a folder as a copy (:data:`hydra_kg.stores.published.addresses.MARK`)."""

UNFORESEEN: Final = (IndexError, KeyError, MemoryError, OverflowError, TypeError, ValueError)
"""Errors that arise when damaged arrays point to positions that do not exist."""

_STORE: Final = Path(__file__).parents[1]
_BATCH = 100_000


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


def raise_if_corrupt(pinned: PinnedGeneration, error: Exception) -> None:
    """Raise StoreCorruptError if an error came from store code and files fail their checksums.

    Reads all files of the pinned loads and their generation.
    """
    trace, ours = error.__traceback__, False
    while trace is not None and not ours:
        file = Path(trace.tb_frame.f_code.co_filename)
        ours = _STORE in file.parents and file.name != "store.py"
        trace = trace.tb_next
    if not ours:
        return
    for _, segment in pinned.loads:
        verify(segment.path, magic=SEGMENT)
    if pinned.generation.merged is not None:
        verify(pinned.generation.merged.path, magic=MERGED)
    if pinned.generation.number:
        verify(pinned.generation.path, magic=GENERATION)


def check_collisions(new: Segment, others: Iterable[Segment]) -> None:
    """Compare the texts of ids that a load shares with ready loads.

    Raises StoreError if one id has two texts, which happens about once in 4,000 pairs of loads of 17 million terms.
    """
    for other in others:
        common = np.intersect1d(new.term_id, other.term_id, assume_unique=True)
        for i in range(0, len(common), _BATCH):
            ids = common[i : i + _BATCH]
            for a, b in zip(new.terms(ids), other.terms(ids), strict=True):
                if a != b:
                    raise StoreError(
                        f"{a!r} has the same hashed id as {b!r}, which another load has.",
                        remedy="Load it into a store of its own, or without the lines that name it.",
                    )


def rebuild_catalog(store: Path) -> list[str]:
    """Rebuild the catalog from the files. Return a line about each load.

    The old catalog stays as ``catalog.sqlite.old``. Loads of the newest complete generation become ready; the others
    become pending. Raises UsageError if the catalog can be read, and StoreCorruptError if no load can.
    """
    if _readable(store):
        raise UsageError(
            f"The catalog of {store} can be read: there is nothing to repair.",
            remedy="hydra-kg db doctor says what else is wrong.",
        )
    rows, lines = _rows(store)
    if not rows:
        raise StoreCorruptError(f"No load in {store} says what it is.", remedy="Restore the store from a backup.")
    number, members = _generation(store, {row.id for row in rows})
    with builder_lock(store) as lock:
        lock.exclusive(wait=True)
        for name in (FILE, f"{FILE}-wal", f"{FILE}-shm", FILE + SEAL):
            if (store / name).exists():
                (store / name).replace(store / f"{name}.old")
        made = store / f"{FILE}.new"
        made.unlink(missing_ok=True)
        _write(made, rows, number, members)
        made.replace(store / FILE)
    for row in rows:
        state = (
            "ready" if row.id in members else "waiting: hydra-kg sources show compares it, sources flip switches to it"
        )
        lines.append(f"{row.name} ({row.id}, {row.facts:,} facts): {state}")
    return lines


def _readable(store: Path) -> bool:
    """Return True if the catalog can be opened and read."""
    try:
        catalog = Catalog(store)
    except StoreCorruptError:
        return False
    with closing(catalog):
        try:
            catalog.ready()
        except StoreCorruptError:
            return False
        return not catalog.examined() and not difference_from_files(store, catalog)


def _rows(store: Path) -> tuple[list[LoadRow], list[str]]:
    """Return the loads that their manifests describe, and the names of damaged ones."""
    rows, lines = [], []
    for name in complete_loads(store):
        try:
            manifest = read_manifest(store / "loads" / name, magic=SEGMENT)
            manifest_load: dict[str, Any] = manifest.get("load", {})
            sources = tuple(Source(**source) for source in manifest["sources"])
            counts = manifest["counts"]
            row = LoadRow(
                name,
                manifest_load.get("name") or _name(name, sources),
                "staging",
                manifest_load.get("created", ""),
                sources,
                facts=counts["links"] + counts["values"],
                checksum=manifest["checksum"],
                counts=counts,
                details=manifest_load.get("details") or {"file": manifest.get("file", "")},
            )
        except (StoreCorruptError, OSError, KeyError, TypeError) as e:
            lines.append(f"{name} cannot be read and is left as it is: {str(e).splitlines()[0]}")
        else:
            rows.append(row)
    return sorted(rows, key=lambda row: _place(row.id)), lines


def _name(folder: str, sources: tuple[Source, ...]) -> str:
    """Return the name of a load that was written before manifests stored the name."""
    return sources[0].name if len(sources) == 1 else folder.rpartition(".")[0]


def _place(load: str) -> int:
    return int(number) if (number := load.rpartition(".")[2]).isdigit() else 0


def _generation(store: Path, known: set[str]) -> tuple[int, set[str]]:
    """Return the newest generation whose loads all exist, and those loads; 0 if there is none."""
    folder = store / "generations"
    numbers = (
        sorted((int(f.name) for f in folder.iterdir() if f.name.isdigit()), reverse=True) if folder.is_dir() else []
    )
    for number in numbers:
        try:
            members = set(map(str, read_manifest(folder / str(number), magic=GENERATION)["loads"]))
        except (StoreCorruptError, OSError, KeyError, TypeError):
            continue
        if members <= known:
            return number, members
    return 0, set()


def _write(file: Path, rows: list[LoadRow], number: int, members: set[str]) -> None:
    """Write a new catalog from manifests."""
    Catalog.create(file)
    with closing(sqlite3.connect(file)) as db, db:
        for row in rows:
            db.execute(
                "INSERT INTO load (n, id, name, state, created, flipped, facts, checksum, counts, details)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    _place(row.id) or None,
                    row.id,
                    row.name,
                    "ready" if row.id in members else "staging",
                    row.created,
                    row.created,
                    row.facts,
                    row.checksum,
                    json.dumps(row.counts),
                    json.dumps(row.details),
                ),
            )
            db.executemany(
                "INSERT INTO source VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(row.id, i, *asdict(s).values()) for i, s in enumerate(row.sources)],
            )
        db.execute("UPDATE meta SET value = ? WHERE key = 'generation'", (number,))
        set_content(db)
