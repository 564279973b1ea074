"""A store that only takes loads (port Store, as far as loading needs it), and stages them for one joint import."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hydra_kg.errors import NotFoundError, StoreError
from hydra_kg.ports import LoadPlan, Snapshot, Stage
from hydra_kg.stores.neo4j.bulk.stored_streams import Staged, StagedFile, copy_stage
from hydra_kg.stores.neo4j.writes.writer import ROWS
from hydra_kg.util.fast_dataclass import dataclass


@dataclass(slots=True)
class BulkStore:
    """A store that stages loads for one joint import.

    Attributes:
        folder: the folder for stages.
        ready: the ``:HydraLoad`` properties of the ready loads.
        newest: the highest load number.
        staged: the committed loads.
    """

    url: str
    folder: Path
    ready: Sequence[Mapping[str, Any]] = ()
    newest: int = 0
    staged: list[Staged] = field(default_factory=list)
    replaced: set[str] = field(default_factory=set)

    def begin(self, load: LoadPlan) -> BulkWriter:
        """Start a load. Raise StoreError if one of that name exists and ``replace`` is not set."""
        if any(one.load["name"] == load.name for one in self.staged):
            raise StoreError(f"{load.name} comes twice.", remedy="Give one of them another source name.")
        if not load.replace and any(row["name"] == load.name for row in self.ready):
            raise StoreError(
                f"{load.name} is loaded already.",
                remedy="Load it with --replace, or give the new one another source name.",
            )
        self.newest += 1
        return BulkWriter(self, load, self.newest)

    def retained(self) -> list[Mapping[str, Any]]:
        """Return the ready loads that stay."""
        return [row for row in self.ready if row["name"] not in self.replaced]

    def loads(self) -> list[Mapping[str, Any]]:
        """Return the ready loads."""
        return list(self.ready)

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Raise StoreError, because nothing can be read here."""
        raise StoreError("This store only takes loads.", remedy="Open the server's own store.")

    def drop(self, name: str) -> Mapping[str, Any]:
        """Raise NotFoundError, because nothing can be dropped here."""
        raise NotFoundError(f"{name} cannot be dropped here.", remedy="Open the server's own store.")

    def close(self) -> None:
        """Do nothing, because nothing is open."""


class BulkWriter:
    """Stages one load (port LoadWriter)."""

    def __init__(self, store: BulkStore, plan: LoadPlan, number: int) -> None:
        self.plan, self.number = plan, number
        self._store, self._copied, self._files = store, StagedFile({}, {}, ""), list[Path]()

    @property
    def staging(self) -> Path:
        """Return the scratch folder of this load, which is the same when a killed load is started again."""
        name = hashlib.sha256(self.plan.name.encode()).hexdigest()[:16]
        path = self._store.folder.parent / "staging" / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    @property
    def file(self) -> Path:
        """Return the file with the tables of this load."""
        return self._store.folder / f"{self.number}.duckdb"

    def attach(self, file: Path) -> None:
        folder = self._store.folder / f"{self.number}.files"
        folder.mkdir(parents=True, exist_ok=True)
        self._files = [*self._files, Path(shutil.copy2(file, folder))]

    def write(self, stage: Stage) -> None:
        self._store.folder.mkdir(parents=True, exist_ok=True)
        self._copied = copy_stage(stage, self.file)

    def commit(self, details: Mapping[str, Any]) -> None:
        counts, now = self._copied.counts, datetime.now(UTC).isoformat(timespec="seconds")
        load = {
            "id": self.number,
            "name": self.plan.name,
            "state": "ready",
            "owner": "",
            "beat": int(time.time() * 1000),
            "sources": json.dumps([asdict(s) for s in self.plan.sources], ensure_ascii=False),
            "created": now,
            "flipped": now,
            "rows": ROWS,
            "facts": counts.get("links", 0) + counts.get("values", 0),
            "checksum": self._copied.checksum,
            "file": str(details.get("file", "")),
            "written": True,
            "details": json.dumps(dict(details), ensure_ascii=False, sort_keys=True),
            "counts": json.dumps(counts),
            "texts": json.dumps(self._copied.texts),
        }
        staged = Staged(self.file, load, tuple(self._files))
        staged.note()
        self._store.staged.append(staged)
        if self.plan.replace:
            self._store.replaced.add(self.plan.name)
        shutil.rmtree(self.staging, ignore_errors=True)

    def abort(self) -> None:
        shutil.rmtree(self.staging, ignore_errors=True)
        self.release()

    def release(self) -> None:
        """Stop. The next load of this name resumes from what ingest staged."""
        self.file.unlink(missing_ok=True)
