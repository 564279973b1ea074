"""One load being written: a stage in chunks, each with its mark in one transaction, then the flip."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hydra_kg.domain import Source
from hydra_kg.errors import StoreBusyError, StoreError
from hydra_kg.ports import LoadPlan, Stage
from hydra_kg.settings import default_store
from hydra_kg.stores.neo4j.chunks import Chunk, Chunks
from hydra_kg.stores.neo4j.queries import Database, Transaction, is_taken

if TYPE_CHECKING:
    from hydra_kg.stores.neo4j.store import Neo4jStore

ROWS: Final = 10_000  # of a chunk
PIECE: Final = 1 << 20  # bytes of an attached file in one node
LOST: Final = 30 * 60 * 1000  # ms without a sign of life after which a load on another machine counts as killed

_writing: set[str] = set()
"""Owners of loads that this process is writing."""


def new_owner() -> str:
    """Who we are, as a load in the graph says it: machine, process, and a name of our own."""
    owner = f"{socket.gethostname()} {os.getpid()} {uuid.uuid4().hex}"
    _writing.add(owner)
    return owner


def forget_owner(owner: str) -> None:
    """We no longer write as that owner."""
    _writing.discard(owner)


def is_alive(owner: str, *, idle: int) -> bool:
    """Whether the owner of a load still writes. ``idle``: ms since it last did."""
    host, _, rest = owner.partition(" ")
    process, _, _ = rest.partition(" ")
    if not owner:
        return False
    if host != socket.gethostname():
        return idle < LOST
    if int(process) == os.getpid():
        return owner in _writing
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


class Neo4jLoadWriter:
    """Writes one load of a Neo4j store (port LoadWriter).

    ``resumed`` says that a killed load of this name is taken up: its ``staging`` folder is as that left it, and
    ``write`` leaves out the chunks that it committed.
    """

    def __init__(self, store: Neo4jStore, plan: LoadPlan, *, number: int, owner: str, resumed: bool) -> None:
        self.plan, self.number, self.resumed = plan, number, resumed
        self._store, self._owner, self._written = store, owner, False

    @property
    def staging(self) -> Path:
        """Scratch folder of this load in the user's data folder, removed by ``commit`` and ``abort``."""
        path = self._folder()
        path.mkdir(parents=True, exist_ok=True)
        return path

    def attach(self, file: Path) -> None:
        """Keep a copy of a file in the graph."""
        self._check_open()
        data = file.read_bytes()
        for n, low in enumerate(range(0, max(1, len(data)), PIECE)):
            piece = {"load": self.number, "name": file.name, "n": n, "data": data[low : low + PIECE]}
            self._store.db.write(lambda tx, piece=piece: tx.run("write_file", piece))  # type: ignore[misc]

    def write(self, stage: Stage) -> None:
        """Write everything that is not there yet. What a killed load left of another stage is removed first."""
        self._check_open()
        db, sources = self._store.db, self.plan.sources
        if write_stage(db, self.number, self._owner, stage, sources=sources) is None:
            self._store.empty(self.number)
            write_stage(db, self.number, self._owner, stage, sources=sources)
        self._written = True

    def commit(self, details: Mapping[str, Any]) -> None:
        """Flip: the load and all that is derived become visible together; with ``replace`` the ready loads of the
        same name go in the same moment. After an error it may be called again."""
        self._check_open()
        if not self._written:
            raise StoreError(f"{self.plan.name} was not written.", remedy="Call write before commit.")
        self._store.flip(ready=self.number, name=self.plan.name, sources=self.plan.sources, details=details,
                         replace=self.plan.replace)  # fmt: skip
        self._end()

    def abort(self) -> None:
        """Remove what was written and forget the load. Safe to call after ``commit``, where it does nothing."""
        if self._owner in _writing:
            self._store.purge(self.number)
            self._end()

    def release(self) -> None:
        """Stop without removing anything: the next load of this name takes it up."""
        if self._owner in _writing:
            _writing.discard(self._owner)
            self._store.db.write(lambda tx: tx.run("load_release", {"id": self.number}))

    def _check_open(self) -> None:
        if self._owner not in _writing:
            raise StoreError(f"The load {self.plan.name} has ended.", remedy="Begin a new one.")

    def _end(self) -> None:
        _writing.discard(self._owner)
        shutil.rmtree(self._folder(), ignore_errors=True)

    def _folder(self) -> Path:
        name = hashlib.sha256(f"{self._store.url} {self.plan.name}".encode()).hexdigest()[:16]
        return default_store().parent / "staging" / name


def write_stage(db: Database, load: int, owner: str, stage: Stage, *,
                sources: Sequence[Source]) -> Mapping[str, int] | None:  # fmt: skip
    """Write what is not there yet of a stage; rows by stream, or None if chunks are there that are not this stage's."""
    chunks = Chunks(stage, load, sources, ROWS)
    ((numbers, checks),) = db.read("chunks_done", {"load": load})
    done = dict(zip(numbers, checks, strict=True))
    for chunk in chunks.all():
        there = done.pop(chunk.number, None)
        if there is None:
            _write_chunk(db, load, owner, chunk)
        elif there != chunk.check:
            return None
    if done:
        return None
    counts = dict(chunks.counts)
    what = {"id": load, "facts": counts.get("links", 0) + counts.get("values", 0), "checksum": chunks.checksum,
            "counts": json.dumps(counts), "texts": json.dumps(chunks.texts)}  # fmt: skip
    db.write(lambda tx: tx.run("load_written", what))
    return counts


def _write_chunk(db: Database, load: int, owner: str, chunk: Chunk) -> None:
    """Write a chunk and its mark in one transaction. A chunk that was committed without our hearing of it stays.

    Raises StoreBusyError if somebody else took the load over.
    """

    def work(tx: Transaction) -> bool:
        mark = {"load": load, "owner": owner, "n": chunk.number, "check": chunk.check, "subjects": chunk.subjects}
        begun = tx.run("chunk_begin", mark)
        for query, parameters in chunk.steps if begun else ():
            tx.run(query, parameters)
        return bool(begun)

    try:
        ours = db.write(work)
    except Exception as e:
        if not is_taken(e):
            raise
        ours = True
    if not ours:
        raise StoreBusyError("Another process has taken this load over.", remedy="Let it finish.")
