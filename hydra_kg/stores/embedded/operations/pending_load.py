"""Pending loads, to be compared with the ready load of their name before use, and previews of a changed store."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hydra_kg.domain import Source
from hydra_kg.errors import AlreadyDoneError, NotFoundError
from hydra_kg.events import Listener, ignore
from hydra_kg.ports import LoadPlan, Stage
from hydra_kg.stores.embedded.catalog.catalog import FILE as CATALOG
from hydra_kg.stores.embedded.catalog.locks import take_load
from hydra_kg.stores.embedded.operations.abilities import Holdable
from hydra_kg.stores.embedded.operations.backup import copy_database
from hydra_kg.stores.embedded.operations.load_difference import difference
from hydra_kg.stores.embedded.segments.array_folder import verify
from hydra_kg.stores.embedded.segments.disk_full import disk_errors
from hydra_kg.stores.embedded.segments.format import SEGMENT, Segment, open_segment
from hydra_kg.util.fast_dataclass import dataclass

if TYPE_CHECKING:
    from hydra_kg.stores.embedded.catalog.catalog import LoadRow
    from hydra_kg.stores.embedded.store import EmbeddedStore
    from hydra_kg.stores.embedded.writes.writer import EmbeddedLoadWriter


_LINKED: Final = ("loads", "generations", "merged", "index")
"""Folders whose files are never changed in place, so that they can be linked."""
_SIDE_FILES: Final = ("vectors.sqlite", "history.sqlite", "teachings.sqlite")
"""Other files of the store that answers depend on."""


@dataclass(frozen=True, slots=True)
class _PendingPlan:
    """Load plan for a pending load, which may have the name of a ready one."""

    name: str
    sources: tuple[Source, ...]
    file: str
    replace: bool = True


class HoldingStore:
    """An embedded store whose loads become pending instead of ready; as much of the port Store as loading needs."""

    holds = True

    def __init__(self, store: Holdable) -> None:
        self._store = store
        self.path, self.url = store.path, store.url

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def begin(self, load: LoadPlan) -> HoldingWriter:
        """Start a load, or resume one of the same name that was killed. Raise StoreBusyError, StoreError."""
        return HoldingWriter(self._store.begin(_PendingPlan(load.name, load.sources, load.file)))


class HoldingWriter:
    """A writer whose ``commit`` makes the load pending (port LoadWriter)."""

    def __init__(self, inner: EmbeddedLoadWriter) -> None:
        self._inner = inner

    @property
    def resumed(self) -> bool:
        """Return True if a load that was killed is resumed."""
        return self._inner.resumed

    @property
    def staging(self) -> Path:
        return self._inner.staging

    def attach(self, file: Path) -> None:
        self._inner.attach(file)

    def write(self, stage: Stage) -> None:
        self._inner.write(stage)

    def commit(self, details: Mapping[str, Any]) -> None:
        """Store the complete load durably as pending, so that readers do not see it."""
        self._inner.hold(details)

    def abort(self) -> None:
        self._inner.abort()

    def release(self) -> None:
        self._inner.release()


def pending_difference(store: Holdable, name: str, *, listener: Listener = ignore) -> dict[str, Any]:
    """Return how the pending load of a name differs from the ready one (``old`` is None if there is none).

    Raises NotFoundError.
    """
    row = _pending_row(store, name)
    new = open_segment(store.path / "loads" / row.id)
    with store.pin() as pinned:
        for info, segment in pinned.loads:
            if info.name == name:
                ends = (_end(segment, info.created), _end(new, row.created))
                return {"old": ends[0], "new": ends[1], **difference(segment, new, listener=listener)}
    return {"old": None, "new": _end(new, row.created)}


def flip_pending(store: Holdable, name: str) -> Mapping[str, Any]:
    """Make the pending load ready in place of the ready load of its name, after checking its checksums.

    The change is one flip. Raises AlreadyDoneError if it was made before, NotFoundError, StoreBusyError,
    StoreCorruptError.
    """
    if (last := _last_pending(store, name)) is not None and last.state == "ready":
        raise AlreadyDoneError(f"The waiting load of {name} is in force already, since {last.flipped}.", name=name)
    with _lock_pending(store, name) as row:
        with disk_errors(store.path, f"flipping {name}"):
            verify(store.path / "loads" / row.id, magic=SEGMENT)
        store.flip(ready=[row.flipped_from_hold()], replace=True)
        return {"name": name, "id": row.id, "facts": row.facts}


def discard_pending(store: Holdable, name: str) -> Mapping[str, Any]:
    """Remove the pending load in one transaction; the ready load stays.

    Raises AlreadyDoneError, NotFoundError, StoreBusyError, DiskFullError.
    """
    if (last := _last_pending(store, name)) is not None and last.was_discarded:
        with disk_errors(store.path, f"discarding {name}"):
            store.discard_pending(last)
        raise AlreadyDoneError(f"The waiting load of {name} was discarded already, {last.flipped}.", name=name)
    with _lock_pending(store, name) as row:
        with disk_errors(store.path, f"discarding {name}"):
            store.discard_pending(row)
        return {"name": name, "id": row.id, "facts": row.facts}


def _last_pending(store: Holdable, name: str) -> LoadRow | None:
    """Return the newest load of that name if it is pending or once was, else None.

    Only loads that are ready, pending or discarded are considered.
    """
    rows = [r for r in store.catalog.loads(name) if r.state == "ready" or r.pending or r.was_discarded]
    return rows[-1] if rows and (rows[-1].pending or rows[-1].was_pending or rows[-1].was_discarded) else None


@contextmanager
def _lock_pending(store: Holdable, name: str) -> Iterator[LoadRow]:
    _pending_row(store, name)
    with take_load(store.path, name):
        yield _pending_row(store, name)


def _pending_row(store: Holdable, name: str) -> LoadRow:
    rows = [row for row in store.catalog.loads(name, state="staging") if row.pending]
    if not rows:
        raise NotFoundError(f"No load called {name} is waiting.", remedy="Load one with hydra-kg load FILE --hold.")
    return rows[-1]


def _end(segment: Segment, created: str) -> dict[str, Any]:
    return {
        "id": segment.id,
        "created": created,
        "facts": len(segment.fdst) + len(segment.vobj),
        "checksum": segment.manifest["checksum"],
    }


@contextmanager
def preview_change(store: Holdable, change: Callable[[EmbeddedStore], object]) -> Iterator[EmbeddedStore]:
    """Yield the store as it would be after a change; the store in use does not change.

    The preview is next to the store, so that files are linked instead of copied. It is removed at the end of the
    block. Raises whatever the change raises, and DiskFullError.
    """
    from hydra_kg.stores.embedded.store import EmbeddedStore

    with disk_errors(store.path.parent, "trying the change"):
        scratch = tempfile.TemporaryDirectory(prefix=".hydra-kg-preview-", dir=store.path.parent)
    with scratch as folder:
        place = Path(folder) / store.path.name
        with disk_errors(place.parent, "trying the change"), store.pin():
            _link(store.path, place)
        with EmbeddedStore(place) as copy:
            change(copy)
            yield copy


def _link(source: Path, target: Path) -> None:
    target.mkdir(mode=0o700)
    for name in (CATALOG, *_SIDE_FILES):
        if (source / name).is_file():
            copy_database(source / name, target / name)
    for name in _LINKED:
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name, copy_function=_link_or_copy)


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without hard links
        shutil.copy2(source, target)
