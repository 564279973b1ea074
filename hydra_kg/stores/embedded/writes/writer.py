"""Writes one load: a stage to a folder of arrays and texts, in threads, then the flip that makes it visible."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Source
from hydra_kg.errors import StoreError
from hydra_kg.ports import LoadPlan, Stage
from hydra_kg.stores.embedded.catalog.catalog import Catalog, LoadRow
from hydra_kg.stores.embedded.catalog.locks import Lock
from hydra_kg.stores.embedded.segments.adjacency import FactWriter, check_nodes
from hydra_kg.stores.embedded.segments.array_folder import (
    MANIFEST,
    FolderWriter,
    note_attached,
    read_manifest,
    sync,
    verify,
    write_manifest,
)
from hydra_kg.stores.embedded.segments.disk_full import disk_errors, remove
from hydra_kg.stores.embedded.segments.fact_details import write_details
from hydra_kg.stores.embedded.segments.format import DETAILS, SEGMENT, TEXTS
from hydra_kg.stores.embedded.segments.load_texts import TextsWriter
from hydra_kg.stores.embedded.segments.record_heap import TextHeap
from hydra_kg.util.number_columns import match

_NARROW: Final = 1 << 32
T = TypeVar("T")


class EmbeddedLoadHome(Protocol):
    """The parts of the store that a writer needs; see :class:`hydra_kg.stores.embedded.store.EmbeddedStore`."""

    path: Path
    catalog: Catalog

    def flip(self, *, ready: Sequence[LoadRow], replace: bool) -> None:
        """Make loads ready, together with all data derived from them."""


class EmbeddedLoadWriter:
    """Writes one load (port LoadWriter) under the lock of its name.

    ``resumed`` means that the ``staging`` folder of a killed load is used again.
    """

    def __init__(self, store: EmbeddedLoadHome, plan: LoadPlan, row: LoadRow, lock: Lock, *, resumed: bool) -> None:
        self.plan, self.row, self.resumed = plan, row, resumed
        self._store, self._lock = store, lock

    @property
    def folder(self) -> Path:
        return self._store.path / "loads" / self.row.id

    @property
    def staging(self) -> Path:
        """Return the scratch folder of this load, which ``commit`` and ``abort`` remove."""
        path = self._store.path / "staging" / self.row.id
        path.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, stage: Stage) -> None:
        """Write everything again. Raise DiskFullError and StoreError; the folder is then removed."""
        self._check_open()
        try:
            with disk_errors(self._store.path, f"writing the load {self.plan.name}"):
                remove(self.folder)
                write_segment(self.folder, self.staging, stage, sources=self.plan.sources)
                verify(self.folder, magic=SEGMENT)
        except BaseException:
            remove(self.folder)
            raise

    def adopt(self, folder: Path) -> None:
        """Copy a load's files from another store. Raise DiskFullError, StoreCorruptError."""
        self._check_open()
        try:
            with disk_errors(self._store.path, f"writing the load {self.plan.name}"):
                remove(self.folder)
                self.folder.mkdir(parents=True)
                for file in sorted(folder.iterdir(), key=lambda f: f.name == MANIFEST):  # which makes it one
                    shutil.copyfile(file, self.folder / file.name)
                    sync(self.folder / file.name)
                for made in (self.folder, self.folder.parent, self._store.path):
                    sync(made)
                verify(self.folder, magic=SEGMENT)
        except BaseException:
            remove(self.folder)
            raise

    def attach(self, file: Path) -> None:
        """Store a copy of a small file (rejected lines) in the load's folder. Call it after ``write``."""
        self._check_open()
        with disk_errors(self._store.path, f"writing the load {self.plan.name}"):
            shutil.copyfile(file, self.folder / file.name)
            sync(self.folder / file.name)
            note_attached(self.folder, file.name, magic=SEGMENT)

    def commit(self, details: Mapping[str, Any]) -> None:
        """Flip: make the load and all derived data visible at once.

        With ``replace``, the ready loads of the same name are dropped in the same moment. After an error it may be
        called again.
        """
        row = self._finished(details)
        self._store.flip(ready=[row], replace=self.plan.replace)
        self._end()

    def hold(self, details: Mapping[str, Any]) -> None:
        """Store the complete load as pending, until it is flipped or discarded (see ``operations.pending_load``)."""
        row = self._finished(details)
        with disk_errors(self._store.path, f"finishing the load {self.plan.name}"):
            self._store.catalog.hold(row)
        self._end()

    def abort(self) -> None:
        """Remove what was written and forget the load. Does nothing after ``commit``."""
        if self._lock.owned:
            remove(self.folder)
            self._store.catalog.forget(self.row.id)
            self._end()

    def release(self) -> None:
        """Stop without removing anything, so that the next load of this name resumes."""
        self._lock.release()

    def _finished(self, details: Mapping[str, Any]) -> LoadRow:
        self._check_open()
        if not (self.folder / MANIFEST).is_file():
            raise StoreError(f"{self.plan.name} was not written.", remedy="Call write before commit.")
        with disk_errors(self._store.path, f"finishing the load {self.plan.name}"):
            return finish_load(self.folder, self.row, sources=self.plan.sources, details=details)

    def _check_open(self) -> None:
        if not self._lock.owned:
            raise StoreError(f"The load {self.plan.name} has ended.", remedy="Begin a new one.")

    def _end(self) -> None:
        remove(self._store.path / "staging" / self.row.id)
        self._lock.release()


def finish_load(folder: Path, row: LoadRow, *, sources: Sequence[Source], details: Mapping[str, Any]) -> LoadRow:
    """Return the catalog's row of a written load, and complete the manifest of the load.

    The manifest gets the name of the file, which locators show, and the catalog's data about the load, so that a lost
    catalog can be rebuilt.
    """
    manifest = read_manifest(folder, magic=SEGMENT)
    manifest["file"] = str(details.get("file", ""))
    manifest["load"] = {
        "name": row.name,
        "created": row.created,
        "details": json.loads(json.dumps(details, default=str)),
    }
    write_manifest(folder, manifest)
    counts = manifest["counts"]
    return replace(
        row,
        sources=tuple(sources),
        facts=counts["links"] + counts["values"],
        counts=counts,
        checksum=manifest["checksum"],
        details=dict(details),
    )


def write_segment(folder: Path, scratch: Path, stage: Stage, *, sources: Sequence[Source]) -> dict[str, Any]:
    """Write the folder of a load (docs/store-format.md). Return its manifest.

    Takes about 35 bytes of memory per node, about 900 MB, and what the stage takes.
    """
    with FolderWriter(folder, magic=SEGMENT) as out, ParallelJobs(stage) as jobs:
        nodes = np.concatenate([np.empty(0, np.int64), *stage.nodes()])
        check_nodes(len(nodes), "The load")
        if (nodes[1:] <= nodes[:-1]).any():
            raise StoreError("The stage's nodes are not ascending.", remedy="Please report this as a bug.")
        preds = np.array(sorted({p[0] for p in stage.predicates()}), np.int64)
        out.save("nodes", nodes)
        out.save("preds", preds)
        out.save("mediator", _flag_nodes(nodes, stage.mediators()))
        values_job = jobs.start(lambda other: _write_values(out, scratch, other, nodes=nodes, preds=preds))
        links_job = jobs.start(lambda other: _write_links(out, scratch, other, nodes=nodes, preds=preds))
        apart = jobs.start(lambda other: {"same_as": _write_same_as(out, other), "terms": _write_terms(out, other)})
        rest = jobs.start(lambda other: _write_rest(out, other, links=links_job(), values=values_job()))
        texts = TextsWriter(out, scratch, nodes=nodes, facts=lambda: _facts_of_nodes(links_job(), values_job()))
        try:
            texted = texts.write(stage)
        finally:
            texts.close()
        out.add(TEXTS)
        details, check = rest()
        counts = {
            "links": links_job().rows,
            "values": values_job().rows,
            **texted,
            **apart(),
            "details": details,
            "nodes": len(nodes),
            "predicates": len(preds),
        }
        checksum = _checksum_load(out, check + texts.check)
        return out.finish(sources=[asdict(s) for s in sources], counts=counts, checksum=checksum)


def _facts_of_nodes(links: FactWriter, values: FactWriter) -> npt.NDArray[np.int64]:
    """Return how many facts each node has. The sum may be larger than the type of one of the counts."""
    facts = links.in_count.astype(np.int64)
    facts += links.out_count
    facts += values.out_count
    return facts


def _write_links(out: FolderWriter, scratch: Path, stage: Stage, *, nodes: Ids, preds: Ids) -> FactWriter:
    facts = stage.counts().get("links", 0)
    links = FactWriter(out, scratch, nodes=nodes, preds=preds, facts=facts, links=True)
    for batch in stage.links():
        links.add(batch)
    links.finish()
    return links


def _write_values(out: FolderWriter, scratch: Path, stage: Stage, *, nodes: Ids, preds: Ids) -> FactWriter:
    facts = stage.counts().get("values", 0)
    values = FactWriter(out, scratch, nodes=nodes, preds=preds, facts=facts, links=False)
    for batch in stage.values():
        values.add(batch)
    values.finish()
    return values


def _write_rest(out: FolderWriter, stage: Stage, *, links: FactWriter, values: FactWriter) -> tuple[int, int]:
    """Write the reverse direction and details. Return the count of details and their text's checksum."""
    out.save("pcount", links.pred_count + values.pred_count)
    links.reverse()
    details = write_details(out, stage, links=links.rows, values=values.rows)
    return details


def _flag_nodes(nodes: Ids, batches: Iterator[Ids]) -> npt.NDArray[np.uint8]:
    """Return 1 for each node that is in a batch, and 0 for the others."""
    flags = np.zeros(len(nodes), np.uint8)
    for ids in batches:
        at = match(nodes, ids)
        flags[at[at >= 0]] = 1  # a mediator without any fact left is no node
    return flags


def _write_same_as(out: FolderWriter, stage: Stage) -> int:
    """Write the same-as links. Return their number."""
    writers = [out.array("same_a", np.int64), out.array("same_b", np.int64), out.array("same_line", np.uint32)]
    for batch in stage.same_as():
        if writers[2].dtype.itemsize < 8 and len(batch["line"]) and int(np.max(batch["line"])) >= _NARROW:
            writers[2].widen(np.uint64)
        for writer, column in zip(writers, ("a", "b", "line"), strict=True):
            writer.append(np.asarray(batch[column]))
    for writer in writers:
        out.done(writer)
    return writers[0].rows


def _write_terms(out: FolderWriter, stage: Stage) -> int:
    """Write the terms of hashed ids. Return their number."""
    ids, heap = out.array("term_id", np.int64), TextHeap(out, "term")
    last = -1
    for batch, texts in stage.terms():
        if len(batch):
            if int(batch[0]) <= last or (batch[1:] <= batch[:-1]).any():
                raise StoreError("The stage's terms are not ascending.", remedy="Please report this as a bug.")
            last = int(batch[-1])
            heap.add(np.arange(ids.rows, ids.rows + len(batch)), texts)
            ids.append(batch)
    out.done(ids)
    heap.finish(ids.rows)
    return ids.rows


def _checksum_load(out: FolderWriter, texts: int) -> str:
    """Return the checksum of a load as 16 hexadecimal digits.

    It is equal for equal loads, whatever wrote their SQLite file.
    """
    apart = {TEXTS, DETAILS, "detail_off", "vdetail_off"}  # their checksums are in ``texts``
    parts = [f"{k} {v['dtype']} {v['bytes']} {v['crc32']}" for k, v in sorted(out.arrays.items()) if k not in apart]
    parts += [f"{k} {v['bytes']} {v['crc32']}" for k, v in sorted(out.files.items()) if k not in apart]
    return hashlib.sha256("\n".join([*parts, str(texts)]).encode()).hexdigest()[:16]


@runtime_checkable
class Parting(Stage, Protocol):
    """Optional capability of a stage: independent readers for several threads."""

    def apart(self, with_each: Callable[[], None]) -> Parting:
        """Return the same streams for another thread. ``with_each`` is called with each batch, and may raise."""

    def close(self) -> None:
        """Close a stage that ``apart`` returned, when it is not read any more."""


class ParallelJobs:
    """Runs write jobs in two threads if the stage allows parallel reads, else inline, in order.

    Leaving the block waits for the jobs. An error stops them at their next batch.
    """

    def __init__(self, stage: Stage) -> None:
        self._stop = threading.Event()
        self._stage = stage
        self._pool = ThreadPoolExecutor(2, "hydra-kg write")
        self._apart: list[Parting] = []

    def start(self, job: Callable[[Stage], T]) -> Callable[[], T]:
        """Start a job, which may wait for earlier ones. Return a function that waits for it and returns its result.

        The function raises the error of the job if it failed.
        """
        if isinstance(self._stage, Parting):
            self._apart.append(self._stage.apart(self._check))
            return self._pool.submit(job, self._apart[-1]).result
        done: Future[T] = Future()
        done.set_result(job(self._stage))
        return done.result

    def __enter__(self) -> ParallelJobs:
        return self

    def __exit__(self, *error: object) -> None:
        if error[0] is not None:
            self._stop.set()
        self._pool.shutdown(cancel_futures=True)
        for apart in self._apart:
            apart.close()

    def _check(self) -> None:
        if self._stop.is_set():
            raise InterruptedError("the load is given up")
