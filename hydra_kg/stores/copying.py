"""Copies loads from one store to another, embedded or Neo4j: the same facts with the same ids and all their details."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from hydra_kg.domain import Source
from hydra_kg.errors import StoreError, UsageError
from hydra_kg.events import Listener, Progress, ignore
from hydra_kg.ports import LoadWriter, Stage, Store
from hydra_kg.stores import is_server, open_store, store_path
from hydra_kg.stores.common.abilities import OnServer
from hydra_kg.stores.embedded.catalog.generation import PinnedGeneration
from hydra_kg.stores.embedded.writes.restage import SegmentStage
from hydra_kg.util.fast_dataclass import dataclass

if TYPE_CHECKING:
    from hydra_kg.stores.neo4j.bulk.bulk_choice import Way

PIECE: Final = 1 << 16  # facts handed on at once
COPIED: Final = "copied"
"""Key in the details of a copied load: the checksum that the load has in its source store."""


@dataclass(frozen=True, slots=True)
class SourceLoad:
    """One ready load of the source store. ``checksum`` is the checksum in that store."""

    id: str
    name: str
    sources: tuple[Source, ...]
    facts: int
    checksum: str
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CopiedLoad:
    """Outcome for one load of a store copy: copied in this run of ``seconds``, or already present in the target."""

    name: str
    facts: int
    copied: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class CopyReport:
    """Result of a store copy: one entry per load, sorted by name."""

    loads: tuple[CopiedLoad, ...]
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """Return the report as a plain dictionary."""
        return {"loads": [asdict(load) for load in self.loads], "seconds": round(self.seconds, 3)}


@dataclass(frozen=True, slots=True)
class _CopyPlan:
    name: str
    sources: tuple[Source, ...]
    replace: bool
    file: str


class Origin(Protocol):
    """Source side of a store copy: the ready loads, pinned so that later drops and loads change nothing."""

    @property
    def loads(self) -> Sequence[SourceLoad]:
        """Return the loads, sorted by name."""

    def stage(self, load: SourceLoad, scratch: Path, on_rows: Callable[[int], None]) -> AbstractContextManager[Stage]:
        """Return a load as a stage, for the duration of the block.

        ``on_rows`` is called with the number of facts that came over a network.
        """

    def files(self, load: SourceLoad, scratch: Path) -> list[Path]:
        """Return the files that are attached to a load."""


def copy_store(
    source: str | Path,
    target: str | Path,
    *,
    replace: bool = False,
    bulk_way: Way = "auto",
    bulk_files: Path | None = None,
    keep_stage: bool = True,
    listener: Listener = ignore,
    tell: Callable[[str], None] = lambda text: None,
) -> tuple[CopyReport, bool]:
    """Copy all ready loads of a store into another. Return the report, and whether the target has the loads now.

    A target folder is made if it does not exist. What is already in the target stays. A load that is there already,
    with the checksum that it has in the source, is left alone, so a copy can be run again. Saved answers, cached
    vectors and pending loads are not copied.

    The copy takes one of two ways:
        Into the local server that ``hydra-kg up`` started, the copy uses
        :func:`hydra_kg.stores.neo4j.bulk.bulk_choice.bulk_load` with ``bulk_way`` and ``keep_stage``; with
        ``bulk_files`` it only writes the files of an import.
        Into any other server it runs online, and a copy that was killed continues at its last chunk.

    Raises UsageError, NotFoundError, and StoreError if a load cannot be read whole. Without ``replace``, also raises
    StoreError, before anything is done, if the target has another load of one of the names.
    """
    if _place(source) == _place(target):
        raise UsageError("Source and target are the same store.", remedy="Name two.")
    begun = time.monotonic()
    with _open_origin(source) as origin:

        def run(store: Store, dry_run: bool) -> CopyReport:
            return _copy(origin, store, replace=replace, dry_run=dry_run, listener=listener, begun=begun)

        if is_server(target):
            from hydra_kg.stores.neo4j.bulk.bulk_choice import bulk_load, is_ours

            if bulk_files is not None or (bulk_way != "online" and is_ours(str(target))):
                with closing(open_store(target)) as store:
                    _loads_to_copy(origin, store, replace=replace)
                return bulk_load(
                    str(target),
                    run,
                    expected=_facts,
                    way=bulk_way,
                    folder=bulk_files,
                    keep=keep_stage,
                    listener=listener,
                    tell=tell,
                )
        with closing(open_store(target, create=True)) as store:
            return run(store, False), True


def _copy(
    origin: Origin, store: Store, *, replace: bool, dry_run: bool, listener: Listener, begun: float
) -> CopyReport:
    """Copy the loads that are missing or to be replaced, and return a report."""
    todo, done = _loads_to_copy(origin, store, replace=replace), []
    for load in origin.loads:
        start = time.monotonic()
        if load.name in todo and not dry_run:
            _copy_load(origin, load, store, replace=replace, listener=listener)
        done.append(CopiedLoad(load.name, load.facts, load.name in todo, round(time.monotonic() - start, 3)))
    return CopyReport(tuple(done), time.monotonic() - begun)


def _facts(report: CopyReport) -> int:
    return sum(load.facts for load in report.loads if load.copied)


def _loads_to_copy(origin: Origin, store: Store, *, replace: bool) -> set[str]:
    """Return the names of the loads to copy. Raise StoreError if the target has another load of one of the names."""
    ready = {row["name"]: row for row in store.loads() if row["state"] == "ready"}
    todo = set()
    for load in origin.loads:
        row = ready.get(load.name)
        if row is not None:
            details = row["details"] if isinstance(row["details"], Mapping) else json.loads(row["details"])
            if load.checksum in (row["checksum"], details.get(COPIED)):
                continue
            if not replace:
                raise StoreError(
                    f"{load.name} is loaded there already, and is not the same.",
                    remedy="Replace it with --replace, or drop it there first.",
                )
        todo.add(load.name)
    return todo


def _copy_load(origin: Origin, load: SourceLoad, store: Store, *, replace: bool, listener: Listener) -> None:
    """Copy one load through a stage."""
    writer = store.begin(_CopyPlan(load.name, load.sources, replace, str(load.details.get("file", ""))))
    try:
        if isinstance(origin, HasFiles) and isinstance(writer, Adopting):
            writer.adopt(origin.folder(load))
            _progress("copy.write", load, listener)(load.facts)
        else:
            scratch = writer.staging / "copy"
            scratch.mkdir(parents=True, exist_ok=True)
            with origin.stage(load, scratch, _progress("copy.read", load, listener)) as stage:
                writer.write(_ReportingStage(stage, _progress("copy.write", load, listener, passes=_passes(writer))))
            for file in origin.files(load, scratch):
                writer.attach(file)
        writer.commit({**load.details, COPIED: load.checksum})
    except BaseException:
        writer.release()
        raise


def _passes(writer: LoadWriter) -> int:
    return writer.passes if isinstance(writer, SeveralPasses) else 1


def _progress(kind: str, load: SourceLoad, listener: Listener, *, passes: int = 1) -> Callable[[int], None]:
    """Return a function that reports copied facts as throttled progress events."""
    more, total = {"name": load.name}, load.facts * passes
    return Progress(kind, total=total, unit="facts", listener=listener, at_once=True, more=more).add


class _ReportingStage:
    """Wraps a load's stage and reports progress: passes every batch through and calls back with its number of rows."""

    def __init__(self, stage: Stage, on_rows: Callable[[int], None]) -> None:
        self._stage, self._tell = stage, on_rows

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stage, name)

    def links(self) -> Iterator[Mapping[str, Any]]:
        """See :class:`hydra_kg.ports.Stage`."""
        return self._pieces(self._stage.links())

    def values(self) -> Iterator[Mapping[str, Any]]:
        """See :class:`hydra_kg.ports.Stage`."""
        return self._pieces(self._stage.values())

    def _pieces(self, batches: Iterator[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
        for batch in batches:
            for low in range(0, len(batch["s"]), PIECE):
                piece = {name: column[low : low + PIECE] for name, column in batch.items()}
                yield piece
                self._tell(len(piece["s"]))


@runtime_checkable
class HasFiles(Protocol):
    """An origin whose loads are folders of files, as in an embedded store."""

    def folder(self, load: SourceLoad) -> Path:
        """Return the folder of a load."""


@runtime_checkable
class Adopting(Protocol):
    """A writer that can take over the folder of a load as it is."""

    def adopt(self, folder: Path) -> None:
        """Take the files of a load."""


@runtime_checkable
class SeveralPasses(Protocol):
    """A writer that reads the facts of a stage more than once."""

    passes: int


@runtime_checkable
class Pinnable(Protocol):
    """A store whose loads are files."""

    def pin(self) -> AbstractContextManager[PinnedGeneration]:
        """Return the files of the ready loads, which stay in place for the duration of the block."""

    def loads(self) -> list[Mapping[str, Any]]:
        """See :class:`hydra_kg.ports.Store`."""


class EmbeddedOrigin:
    """An embedded store, pinned for the duration of the block."""

    def __init__(self, store: Pinnable) -> None:
        self._store = store

    def __enter__(self) -> EmbeddedOrigin:
        self._pin = self._store.pin()
        pinned = self._pin.__enter__()
        self._segments = {segment.id: segment for _, segment in pinned.loads}
        rows = {row["id"]: row for row in self._store.loads()}
        self.loads = [
            SourceLoad(s.id, info.name, info.sources, info.facts, info.checksum, rows[s.id]["details"])
            for info, s in pinned.loads
        ]
        return self

    def __exit__(self, *error: Any) -> None:
        self._pin.__exit__(*error)

    @contextmanager
    def stage(self, load: SourceLoad, scratch: Path, on_rows: Callable[[int], None]) -> Iterator[Stage]:
        """See :class:`Origin`."""
        yield SegmentStage(self._segments[load.id])

    def folder(self, load: SourceLoad) -> Path:
        """Return the folder of a load."""
        return self._segments[load.id].path

    def files(self, load: SourceLoad, scratch: Path) -> list[Path]:
        """See :class:`Origin`."""
        segment = self._segments[load.id]
        own = {e["file"] for e in segment.manifest["arrays"].values()} | set(segment.manifest["files"])
        return sorted(f for f in segment.path.iterdir() if f.name not in own | {"manifest.json"})


class ServerOrigin:
    """A Neo4j store, pinned for the duration of the block. Reading a load that others drop meanwhile fails."""

    def __init__(self, store: OnServer) -> None:
        self._store = store

    def __enter__(self) -> ServerOrigin:
        self._pin = self._store.snapshot()
        numbers = set(self._pin.__enter__().reader.numbers)
        self._rows = {str(row["id"]): row for row in self._store.all_loads() if row["id"] in numbers}
        self.loads = sorted(
            (
                SourceLoad(
                    i,
                    row["name"],
                    tuple(Source(**s) for s in json.loads(row["sources"])),
                    row["facts"],
                    row["checksum"],
                    json.loads(row["details"]),
                )
                for i, row in self._rows.items()
            ),
            key=lambda load: load.name,
        )
        return self

    def __exit__(self, *error: Any) -> None:
        self._pin.__exit__(*error)

    def stage(self, load: SourceLoad, scratch: Path, on_rows: Callable[[int], None]) -> AbstractContextManager[Stage]:
        """See :class:`Origin`."""
        from hydra_kg.stores.neo4j.writes.load_export import read_back

        return read_back(self._store.db, self._rows[load.id], scratch, on_rows=on_rows)

    def files(self, load: SourceLoad, scratch: Path) -> list[Path]:
        """See :class:`Origin`."""
        from hydra_kg.stores.neo4j.writes.load_export import export_attached_files

        return export_attached_files(self._store.db, int(load.id), scratch)


@contextmanager
def _open_origin(address: str | Path) -> Iterator[Origin]:
    with closing(open_store(address)) as store, origin_of(store) as origin:
        yield origin


def origin_of(store: Store) -> AbstractContextManager[Origin]:
    """Return a reader for the loads of a store, pinned for the duration of the block.

    Raises UsageError for a store that cannot be copied.
    """
    if isinstance(store, Pinnable):
        return EmbeddedOrigin(store)
    if isinstance(store, OnServer):
        return ServerOrigin(store)
    raise UsageError("This store cannot be copied.", remedy="Name a folder or a Neo4j server.")


def _place(address: str | Path) -> str:
    return str(address).rstrip("/") if is_server(address) else str(store_path(address).resolve())
