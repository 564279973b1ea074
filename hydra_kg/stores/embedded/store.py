"""The embedded store: pins generations for readers, gives out writers, flips, drops, and examines itself.

It is one room because pinning, flipping and dropping share the same locks and must be read together.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydra_kg.errors import AlreadyDoneError, LoadedAlreadyError, NotFoundError, StoreError
from hydra_kg.events import Listener, ignore
from hydra_kg.ports import LoadPlan
from hydra_kg.stores import shard_folder
from hydra_kg.stores.common.abilities import Finding
from hydra_kg.stores.common.refusals import already_loaded_error
from hydra_kg.stores.embedded.catalog.catalog import Catalog, LoadRow, decide
from hydra_kg.stores.embedded.catalog.catalog_checks import (
    UNFORESEEN,
    check_catalog,
    check_collisions,
    raise_if_corrupt,
)
from hydra_kg.stores.embedded.catalog.generation import GENERATION, PinnedGeneration, build_generation, open_generation
from hydra_kg.stores.embedded.catalog.generation_bounds import check_pinned
from hydra_kg.stores.embedded.catalog.locks import Lock, builder_lock, generation_lock, is_loading, take_load
from hydra_kg.stores.embedded.reads import name_index
from hydra_kg.stores.embedded.segments.array_folder import verify
from hydra_kg.stores.embedded.segments.disk_full import disk_errors, folder_bytes, remove
from hydra_kg.stores.embedded.segments.format import SEGMENT, Segment, open_segment
from hydra_kg.stores.embedded.segments.name_rows import names_of
from hydra_kg.stores.embedded.upkeep.compaction import (
    MANY,
    build_merged,
    check_links,
    current_merged,
    get_merged_folder,
    left_over,
    places,
    select_mergeable,
    tidy_locks,
    tidy_merged,
    tidy_scratch,
)
from hydra_kg.stores.embedded.writes.restage import SegmentStage
from hydra_kg.stores.embedded.writes.writer import EmbeddedLoadWriter, finish_load, write_segment
from hydra_kg.util.fast_dataclass import dataclass

if TYPE_CHECKING:
    from hydra_kg.stores.embedded.reads.snapshot import EmbeddedSnapshot


@dataclass(eq=False)
class _OpenGeneration:
    """An open generation of this process, with the number of its users."""

    pinned: PinnedGeneration
    snapshot: EmbeddedSnapshot | None = None
    users: int = 0
    sound: bool = False  # its arrays were checked against one another
    pid: int = field(default_factory=os.getpid)


class EmbeddedStore:
    """A store in a folder (port Store). Many threads and processes can read while one loads.

    Raises StoreCorruptError.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path).absolute()
        self.url = str(self.path)
        with disk_errors(self.path, "opening the store"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.mkdir(mode=0o700, exist_ok=True)  # what is kept here says what was asked
            check_links(self.path)
            self.catalog = Catalog(self.path)
        self._mutex = threading.Lock()
        self._open: _OpenGeneration | None = None

    @contextmanager
    def snapshot(self) -> Iterator[EmbeddedSnapshot]:
        """Pin the ready loads and yield a reader for them, which does not see later changes.

        Raises StoreCorruptError for damaged arrays.
        """
        from hydra_kg.stores.embedded.reads.snapshot import EmbeddedSnapshot

        with self._pinned_entry() as entry:
            with self._mutex:
                if entry.snapshot is None:
                    entry.snapshot = EmbeddedSnapshot(entry.pinned)
            yield entry.snapshot

    @contextmanager
    def pin(self) -> Iterator[PinnedGeneration]:
        """Yield the arrays behind a snapshot, pinned in the same way."""
        with self._pinned_entry() as entry:
            yield entry.pinned

    def begin(self, load: LoadPlan) -> EmbeddedLoadWriter:
        """Start a load, or resume one of its name that was killed.

        Raises StoreBusyError, StoreCorruptError, and LoadedAlreadyError if the load is pending, or ready without
        ``replace``.
        """
        with disk_errors(self.path, f"beginning the load {load.name}"):
            self._check_catalog()
            lock = take_load(self.path, load.name)
            try:
                if not load.replace and self.catalog.loads(load.name, state="ready"):
                    raise already_loaded_error(load.name)
                killed = [r for r in self.catalog.loads(load.name, state="staging") if not r.rewrite]
                if any(r.pending for r in killed):
                    raise LoadedAlreadyError(f"A newer {load.name} is waiting.", remedy=decide(load.name))
                if killed:
                    self._check_ready(besides=load.name)
                for row in killed[:-1]:
                    self.discard(row)
                row = killed[-1] if killed else self.catalog.begin(load.name, load.sources)
                self.catalog.resume(row.id, load.sources)
                return EmbeddedLoadWriter(self, load, row, lock, resumed=bool(killed))
            except BaseException:
                lock.release()
                raise

    def loads(self) -> list[Mapping[str, Any]]:
        """Return all loads that have files, oldest first.

        ``running`` says whether the load's process is alive, and ``pending`` whether it waits to be flipped.
        """
        return [
            {
                "id": r.id,
                "name": r.name,
                "state": r.state,
                "created": r.created,
                "flipped": r.flipped,
                "facts": r.facts,
                "checksum": r.checksum,
                "counts": dict(r.counts),
                "bytes": folder_bytes(self.path / "loads" / r.id) + folder_bytes(self.path / "staging" / r.id),
                "sources": [asdict(s) for s in r.sources],
                "details": dict(r.details),
                "running": r.state == "staging" and is_loading(self.path, r.name),
                "held": r.pending,
            }
            for r in self.catalog.loads()
        ]

    def drop(self, name: str) -> Mapping[str, Any]:
        """Drop a load or, if none has that name, a source from all its loads, in one flip. Return counts.

        Leftovers of a killed load are removed as well. Raises AlreadyDoneError, NotFoundError, StoreBusyError.
        """
        with disk_errors(self.path, f"dropping {name}"), self._building():
            unfinished = self._discard_unfinished(name)
            _, ready = self.catalog.ready()
            hit = [r for r in ready if r.name == name] or [r for r in ready if name in {s.name for s in r.sources}]
            if not hit and not unfinished:
                raise self._nothing_called(name)
            partly = [r for r in hit if r.name != name and any(s.name != name for s in r.sources)]
            anew: list[LoadRow] = []
            with ExitStack() as locks:
                try:
                    for row in partly:
                        locks.enter_context(take_load(self.path, row.name))
                        anew.append(self._rewrite(row, without=name))
                    if hit:
                        self._flip(ready=anew, dropped=[r.id for r in hit])
                except BaseException:
                    for row in anew:
                        self.discard(row)
                    raise
            facts = sum(r.facts for r in hit) - sum(r.facts for r in anew)
            return {
                "name": name,
                "loads": len(hit) - len(anew),
                "rewritten": len(anew),
                "unfinished": unfinished,
                "facts": facts,
            }

    def compact(
        self, *, more_than: int = MANY, everything: bool = False, listener: Listener = ignore
    ) -> Mapping[str, Any]:
        """Merge the links of the ready loads if a graph walk looks in more than ``more_than`` places. Return counts.

        The counts are ``merged`` loads, places ``before`` and ``after``, ``links`` and ``bytes``. Answers, ids and
        handles stay the same (docs/store-format.md). Raises DiskFullError, with nothing changed.
        """
        with disk_errors(self.path, "merging"), self._building():
            number, rows = self.catalog.ready()
            segments = [open_segment(self.path / "loads" / r.id) for r in rows]
            now = places(segments, current_merged(self.path, number, segments))
            chosen = select_mergeable(segments, everything=everything)
            counts = {"merged": 0, "before": now, "after": now, "links": 0, "bytes": 0}
            if now <= more_than or len(chosen) < 2:
                return counts
            self._flip(ready=[], dropped=[], merge=chosen, listener=listener)
            after = current_merged(self.path, number + 1, segments)
            return counts | {
                "merged": len(chosen),
                "after": places(segments, after),
                "links": sum(len(s.fdst) for s in chosen),
                "bytes": folder_bytes(after.path) if after is not None else 0,
            }

    def places(self) -> int:
        """Return in how many places a graph walk looks: loads with links, merged ones counted once."""
        with self.pin() as pinned:
            return places([segment for _, segment in pinned.loads], pinned.generation.merged)

    def index_names(self, listener: Listener = ignore) -> None:
        """Index the names of each ready load without a current index, and remove the indexes of dropped loads.

        Raises StoreError.
        """
        with self.pin() as pinned, disk_errors(self.path, "indexing names"):
            for info, segment in pinned.loads:
                if name_index.open_index(self.path, info, segment) is None:
                    try:
                        name_index.make(self.path, info, segment, listener=listener)
                    except PermissionError as e:
                        remedy = "It is made for each process alone until it can be written."
                        raise StoreError(f"The index of names cannot be stored: {e}.", remedy=remedy) from e
        for folder in shard_folder.find_unused(self.path, [row.id for row in self.catalog.loads()]):
            remove(folder)

    def name_index(self) -> Mapping[str, Any]:
        """Return facts about the name index.

        They are the indexed ``names``, the ``missing`` ones, the ``bytes`` on disk, and the ``seconds`` that making it
        took.
        """
        counts = {"names": 0, "missing": 0, "bytes": 0, "seconds": 0.0}
        with self.pin() as pinned:
            for _, segment in pinned.loads:
                folder = shard_folder.index_folder(self.path, segment.id)
                noted = shard_folder.read_index_manifest(folder)
                if noted is None:
                    counts["missing"] += names_of(segment).count
                    continue
                counts["names"] += sum(shard["rows"] for shard in noted["shards"].values())
                counts["bytes"] += folder_bytes(folder)
                counts["seconds"] = round(counts["seconds"] + noted["seconds"], 3)
        return counts

    def doctor(self) -> list[Finding]:
        """Check every file and look for unknown ones. Return findings with remedies, or none if all is well."""
        from hydra_kg.stores.embedded.upkeep.doctor import examine

        return examine(self.path, self.catalog)

    def close(self) -> None:
        """Release files and connections. Questions in progress finish undisturbed."""
        with self._mutex:
            entry, self._open = self._open, None
        if entry is not None and not entry.users:
            _close(entry)
        self.catalog.close()

    def __enter__(self) -> EmbeddedStore:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def flip(self, *, ready: Sequence[LoadRow], replace: bool) -> None:
        """Build the next generation and make loads ready with it. ``replace`` drops ready loads of the same names."""
        with disk_errors(self.path, "building what is derived"), self._building():
            names = {r.name for r in ready}
            old = [r for r in self.catalog.ready()[1] if r.name in names]
            if old and not replace:
                raise already_loaded_error(old[0].name)
            self._flip(ready=ready, dropped=[r.id for r in old])

    @contextmanager
    def _building(self) -> Iterator[None]:
        """Wait for the builder's lock, remove what a killed drop left, and afterwards what readers released."""
        try:
            with builder_lock(self.path) as builder:
                builder.exclusive(wait=True)
                self._check_catalog()
                for row in self.catalog.loads(state="staging"):
                    if row.rewrite:
                        self.discard(row)
                yield
        finally:
            self._tidy_later()

    def _flip(
        self,
        *,
        ready: Sequence[LoadRow],
        dropped: Sequence[str],
        merge: Sequence[Segment] = (),
        listener: Listener = ignore,
    ) -> None:
        """Build a generation, flip to it, and clean up. Call it with the builder's lock.

        The links of the loads in ``merge`` become the new merged adjacency.
        """
        self._tidy()
        current, rows = self.catalog.ready()
        stay = [r for r in rows if r.id not in dropped]
        segments = {r.id: open_segment(self.path / "loads" / r.id) for r in (*stay, *ready)}
        for row in ready:
            check_collisions(segments[row.id], [segments[r.id] for r in stay])
        number = current + 1
        folder = self.path / "generations" / str(number)
        try:
            ordered = [segments[r.id] for r in sorted([*stay, *ready], key=lambda r: r.name)]
            merged = (
                build_merged(self.path, str(number), merge, listener=listener)
                if merge
                else current_merged(self.path, current, ordered)
            )
            build_generation(folder, ordered, merged=merged)
            verify(folder, magic=GENERATION)
            lock = generation_lock(self.path, number)
            lock.exclusive(wait=True)
            lock.release()
            self.catalog.flip(number, ready=ready, dropped=dropped)
        except BaseException:
            if self.catalog.generation() != number:
                remove(folder)
                remove(get_merged_folder(self.path, str(number)))
            raise
        with suppress(OSError, sqlite3.Error, StoreError):  # what is left is removed by the next flip
            self._tidy()

    def _tidy(self) -> None:
        """Remove files that nothing needs any more. Call it with the builder's lock.

        It removes generations that no reader uses, half-written generations, and the files of dropped loads and merged
        adjacencies that no remaining generation needs.
        """
        current = self.catalog.generation()
        with self._mutex:
            if self._open is not None and self._open.pinned.number != current and not self._open.users:
                _close(self._open)
                self._open = None
        in_use = False
        folders = self.path / "generations"
        for folder in sorted(folders.iterdir()) if folders.is_dir() else []:
            if folder.name == str(current):
                continue
            with generation_lock(self.path, int(folder.name) if folder.name.isdigit() else -1) as lock:
                if lock.exclusive():
                    remove(folder)
                    remove(lock.path)
                else:
                    in_use = True
        if not in_use:
            for load in self.catalog.removable():
                self._remove_files(load)
            tidy_merged(self.path, current)
        tidy_scratch(self.path, self.catalog)
        tidy_locks(self.path, current)

    @contextmanager
    def _pinned_entry(self) -> Iterator[_OpenGeneration]:
        """Yield the current generation, protected from removal for the duration of the block."""
        lock, number, rows = self._hold()
        with lock:
            entry = self._entry(number, rows)
            try:
                yield entry
            except UNFORESEEN as e:
                raise_if_corrupt(entry.pinned, e)
                if not entry.sound:  # whoever uses what was read may meet what contradicts itself, so wherever it arose
                    check_pinned(entry.pinned)
                    entry.sound = True
                raise
            finally:
                self._leave(entry)
        if self.catalog.generation() != number:
            self._tidy_later()

    def _hold(self) -> tuple[Lock, int, list[LoadRow]]:
        """Return the shared lock of the current generation, its number, and its loads while the lock is in force."""
        while True:
            number, rows = self.catalog.ready()
            lock = generation_lock(self.path, number)
            locked = lock.shared()
            # Between these lines the store may move on and remove what we meant to hold. Without a lock file (nothing
            # loaded yet, or a copy of a store) nobody removes this generation before the next flip makes the file.
            if (locked or not lock.path.exists()) and self.catalog.generation() == number:
                return lock, number, rows
            lock.release()

    def _entry(self, number: int, rows: Sequence[LoadRow]) -> _OpenGeneration:
        """Return the open generation of that number, opened if necessary."""
        with self._mutex:
            entry = self._open
            if entry is None or not _is_open(entry, number, rows) or entry.pid != os.getpid():
                old, entry = entry, _OpenGeneration(self._load(number, rows, entry))
                self._open = entry
                if old is not None and not old.users:
                    _close(old)
            entry.users += 1
            return entry

    def _leave(self, entry: _OpenGeneration) -> None:
        with self._mutex:
            entry.users -= 1
            if entry is not self._open and not entry.users:
                _close(entry)

    def _load(self, number: int, rows: Sequence[LoadRow], old: _OpenGeneration | None) -> PinnedGeneration:
        known = {(s.id, i.checksum): s for i, s in old.pinned.loads} if old else {}
        segments = [known.get((r.id, r.checksum)) or open_segment(self.path / "loads" / r.id) for r in rows]
        generation = open_generation(self.path / "generations" / str(number), number, segments)
        return PinnedGeneration(self.path, generation, tuple(zip((r.info() for r in rows), segments, strict=True)))

    def _tidy_later(self) -> None:
        """Remove what the last reader used, unless the store is read-only or another process is building."""
        with suppress(OSError, sqlite3.Error, StoreError):
            for _ in range(3):  # others may let go while we look
                if not left_over(self.path, self.catalog):
                    return
                with builder_lock(self.path) as builder:
                    if not builder.exclusive():
                        return
                    self._tidy()

    def _rewrite(self, row: LoadRow, *, without: str) -> LoadRow:
        """Write a load without one of its sources. Return the new load, which is not ready yet."""
        old = open_segment(self.path / "loads" / row.id)
        place = [s.name for s in row.sources].index(without)
        sources = tuple(s for s in row.sources if s.name != without)
        new = self.catalog.begin(row.name, sources, rewrite=True)
        folder, scratch = self.path / "loads" / new.id, self.path / "staging" / new.id
        scratch.mkdir(parents=True)
        try:
            write_segment(folder, scratch, SegmentStage(old, without=place), sources=sources)
            verify(folder, magic=SEGMENT)
            for file in old.path.iterdir():  # what was attached
                if not (folder / file.name).exists() and file.suffix != ".npy":
                    shutil.copyfile(file, folder / file.name)
            details = {**row.details, "without": [*row.details.get("without", ()), without]}
            done = finish_load(folder, new, sources=sources, details=details)
        except BaseException:
            self.discard(new)
            raise
        remove(scratch)
        return done

    def _check_catalog(self) -> None:
        check_catalog(self.path, self.catalog)

    def _check_ready(self, *, besides: str) -> None:
        """Verify the checksums of the ready loads after an unclean stop. Raise StoreCorruptError."""
        for row in self.catalog.ready()[1]:
            if row.name != besides:
                verify(self.path / "loads" / row.id, magic=SEGMENT)

    def _discard_unfinished(self, name: str) -> int:
        rows = [r for r in self.catalog.loads(name, state="staging") if not r.pending]
        if rows:
            with take_load(self.path, name):
                for row in rows:
                    self.discard(row)
        return len(rows)

    def discard(self, row: LoadRow) -> None:
        """Remove a load that never became ready. The caller has its lock.

        For a pending load use ``discard_pending``.
        """
        remove(self.path / "loads" / row.id)
        remove(self.path / "staging" / row.id)
        self.catalog.forget(row.id)

    def discard_pending(self, row: LoadRow) -> None:
        """Remove a pending load from the catalog in one transaction, then its files. The caller has its lock."""
        if row.pending:
            self._check_catalog()
            self.catalog.discard(row)
        self._remove_files(row.id)

    def _remove_files(self, load: str) -> None:
        """Remove the files of a dropped load and record that they are gone."""
        remove(self.path / "loads" / load)
        remove(self.path / "staging" / load)
        remove(shard_folder.index_folder(self.path, load))
        self.catalog.removed(load)

    def _nothing_called(self, name: str) -> NotFoundError:
        """Return the error for a name to drop that no ready or unfinished load has."""
        rows = self.catalog.loads()
        if any(r.pending and r.name == name for r in rows):
            return NotFoundError(f"No load or source is called {name}.", remedy=decide(name))
        gone = [r.flipped for r in rows if r.state == "dropped" and not r.was_discarded and name in r.names()]
        if gone:
            return AlreadyDoneError(f"{name} was dropped already, {gone[-1]}.", name=name)
        return NotFoundError(f"No load or source is called {name}.", remedy="hydra-kg sources list shows all names.")


def _is_open(entry: _OpenGeneration, number: int, rows: Sequence[LoadRow]) -> bool:
    """Return True if an open generation is the current one.

    The number alone does not tell, because a publisher that returned to an older state may use a number again.
    """
    loads = [(segment.id, info.checksum) for info, segment in entry.pinned.loads]
    return entry.pinned.number == number and loads == [(r.id, r.checksum) for r in rows]


def _close(entry: _OpenGeneration) -> None:
    """Close the snapshot of a generation, unless this process inherited it through a fork."""
    if entry.snapshot is not None and entry.pid == os.getpid():
        entry.snapshot.close()
