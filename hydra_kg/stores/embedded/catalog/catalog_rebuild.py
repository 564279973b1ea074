"""Rebuilds a lost or damaged catalog from the manifests of its loads (``doctor --repair``)."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from hydra_kg.domain import Source
from hydra_kg.errors import StoreCorruptError, UsageError
from hydra_kg.stores.embedded.catalog.catalog import FILE, Catalog, LoadRow, complete_loads, set_content
from hydra_kg.stores.embedded.catalog.generation import GENERATION
from hydra_kg.stores.embedded.catalog.locks import builder_lock
from hydra_kg.stores.embedded.catalog.matches_files import difference_from_files
from hydra_kg.stores.embedded.segments.array_folder import read_manifest
from hydra_kg.stores.embedded.segments.format import SEGMENT
from hydra_kg.util.sidecar_db import SEAL


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
