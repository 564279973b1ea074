"""Writes one load in chunks, each with its mark in one transaction, then the flip; and removes loads."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Protocol

from hydra_kg.domain import Source
from hydra_kg.errors import HydraError, StoreBusyError, StoreError
from hydra_kg.ports import LoadPlan, Stage
from hydra_kg.settings import get_default_store
from hydra_kg.stores.neo4j.connection.load_rows import LINKS, NODES, SAME_AS, chunk_number
from hydra_kg.stores.neo4j.connection.queries import (
    OWN_TYPES,
    SHARED,
    SPAN,
    Database,
    TakenError,
    Transaction,
    type_name,
)
from hydra_kg.stores.neo4j.writes.chunks import Chunk, Chunks
from hydra_kg.stores.neo4j.writes.owners import forget_owner, is_ours, pulse
from hydra_kg.text.plain_text import storable

ROWS: Final = 10_000  # of a chunk
CLASS_ROWS: Final = 10_000  # members of classes in one node
PIECE: Final = 1 << 20  # bytes of an attached file in one node
BATCH: Final = 10_000
TRIES: Final = 5
_ROWS: Final = tuple(
    (
        "delete_values delete_names delete_words delete_passages delete_passage_words delete_predicates delete_files"
    ).split()
)


class Neo4jLoadHome(Protocol):
    """The parts of a store that a writer needs; see :class:`hydra_kg.stores.neo4j.store.Neo4jStore`."""

    url: str
    db: Database

    def flip(
        self, *, ready: int, owner: str, name: str, sources: Sequence[Source], details: Mapping[str, Any], replace: bool
    ) -> None:
        """Make a load ready, in one transaction."""

    def purge(self, number: int, *, owner: str) -> None:
        """Remove a load that is not ready, with everything it wrote."""

    def empty(self, number: int) -> None:
        """Remove everything that a load wrote, but not the load itself."""


class Neo4jLoadWriter:
    """Writes one load of a Neo4j store (port LoadWriter).

    ``resumed`` means that ``write`` leaves out the chunks that the killed load in its ``staging`` folder committed.
    """

    passes = 3
    """How often the writer reads the facts of a stage: degrees are counted first, and predicates last."""

    def __init__(self, store: Neo4jLoadHome, plan: LoadPlan, *, number: int, owner: str, resumed: bool) -> None:
        self.plan, self.number, self.resumed = plan, number, resumed
        self._store, self._owner, self._complete = store, owner, False
        self._pulse = pulse(store.db, number, owner)

    @property
    def staging(self) -> Path:
        """Return the scratch folder of this load in the user's data folder, which ``commit`` and ``abort`` remove."""
        path = self._folder()
        path.mkdir(parents=True, exist_ok=True)
        return path

    def attach(self, file: Path) -> None:
        self._check_open()
        data = file.read_bytes()
        for n, low in enumerate(range(0, max(1, len(data)), PIECE)):
            piece = {"load": self.number, "name": file.name, "n": n, "data": data[low : low + PIECE]}
            self._store.db.write(lambda tx, piece=piece: tx.run("write_file", piece))  # type: ignore[misc]

    def write(self, stage: Stage) -> None:
        """Write everything that is not there yet. Leftovers of a killed load with another stage are removed first."""
        self._check_open()
        db, sources = self._store.db, self.plan.sources
        if write_stage(db, self.number, self._owner, stage, sources=sources) is None:
            self._store.empty(self.number)
            write_stage(db, self.number, self._owner, stage, sources=sources)
        self._complete = True

    def commit(self, details: Mapping[str, Any]) -> None:
        """Flip: make the load and all derived data visible at once.

        With ``replace``, the ready loads of the same name are dropped in the same moment. After an error it may be
        called again.
        """
        self._check_open()
        if not self._complete:
            raise StoreError(f"{self.plan.name} was not written.", remedy="Call write before commit.")
        self._store.flip(
            ready=self.number,
            owner=self._owner,
            name=self.plan.name,
            sources=self.plan.sources,
            details=details,
            replace=self.plan.replace,
        )
        self._end()

    def abort(self) -> None:
        """Remove what was written and forget the load. Does nothing after ``commit``."""
        if is_ours(self._owner):
            self._store.purge(self.number, owner=self._owner)
            self._end()

    def release(self) -> None:
        """Stop without removing anything, so that the next load of this name resumes.

        If the server cannot be reached (it may be why the load stops), the next writer recognises that this process
        has ended.
        """
        if is_ours(self._owner):
            self._forget()
            with suppress(HydraError):
                self._store.db.write_once(lambda tx: tx.run("load_release", {"id": self.number, "owner": self._owner}))

    def _check_open(self) -> None:
        if not is_ours(self._owner):
            raise StoreError(f"The load {self.plan.name} has ended.", remedy="Begin a new one.")

    def _forget(self) -> None:
        self._pulse.set()
        forget_owner(self._owner)

    def _end(self) -> None:
        self._forget()
        shutil.rmtree(self._folder(), ignore_errors=True)

    def _folder(self) -> Path:
        name = hashlib.sha256(f"{self._store.url} {self.plan.name}".encode()).hexdigest()[:16]
        return get_default_store().parent / "staging" / name


def write_stage(
    db: Database, load: int, owner: str, stage: Stage, *, sources: Sequence[Source]
) -> Mapping[str, int] | None:
    """Write the chunks of a stage that are not there yet. Return the rows by stream.

    Returns None if there are chunks that do not belong to this stage.
    """
    chunks = Chunks(stage, load, sources, ROWS, choose_shared_types(db, stage))
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
    what = {
        "id": load,
        "owner": owner,
        "facts": counts.get("links", 0) + counts.get("values", 0),
        "checksum": chunks.checksum,
        "counts": json.dumps(counts),
        "texts": json.dumps(chunks.texts),
    }
    db.write(lambda tx: tx.run("load_written", what))
    return counts


def choose_shared_types(db: Database, stage: Stage) -> frozenset[str]:
    """Return the predicates of a stage that must share a relationship type because a database has not enough of them.

    Of the predicates that are new to the database, the last ones share a type. Phrases, which texts bring by the
    thousand, come after names. The result is the same when a killed load is resumed, because the types that it had made
    came first.
    """
    ((found,),) = db.read("relationship_types")
    return too_many(set(found), (storable(key) for _, key, _, _ in stage.predicates()))


def too_many(found: Set[str], keys: Iterable[str]) -> frozenset[str]:
    """Return which of some predicates must share a relationship type if the types ``found`` exist."""
    there = found - {SHARED, "SAME_AS"}
    new = {type_name(key) for key in keys} - there
    return frozenset(sorted(new, key=lambda kind: (" " in kind, kind))[max(0, OWN_TYPES - len(there)) :])


def _write_chunk(db: Database, load: int, owner: str, chunk: Chunk) -> None:
    """Write a chunk and its mark in one transaction, unless it was committed before. Raise StoreBusyError."""

    def work(tx: Transaction) -> None:
        if chunk.number < chunk_number(LINKS, 0):
            tx.run("store_lock")  # nobody removes nodes that we find
        mark = {"load": load, "owner": owner, "n": chunk.number, "check": chunk.check, "subjects": chunk.subjects}
        if not tx.run("chunk_begin", mark):
            raise StoreBusyError("Another process has taken this load over.", remedy="Let it finish.")
        for query, parameters in chunk.steps:
            tx.run(query, parameters)

    try:
        db.write(work)
    except TakenError as e:
        if db.read("chunk_check", {"load": load, "n": chunk.number}) != [[chunk.check]]:
            raise StoreBusyError(
                "Another process writes something else into this load.", remedy="Run the same command again."
            ) from e


def remove_rows(db: Database, load: int) -> None:
    """Remove everything of a load except the load itself, and nodes that no load uses any more."""
    ((numbers, _),) = db.read("chunks_done", {"load": load})
    # Rows go before the marks of their chunks: whoever dies in between must leave no mark that says they are there.
    db.write(lambda tx: tx.run("chunks_spoil", {"load": load, "numbers": numbers}))
    for query in _ROWS:
        while _run(db, query, {"load": load, "limit": BATCH})[0][0] == BATCH:
            pass
    for number in sorted(numbers, reverse=True):  # nodes last
        stream = number // chunk_number(1, 0)
        if stream == LINKS:
            _run(db, "delete_links", {"load": load, "n": number, "low": load * SPAN, "high": (load + 1) * SPAN})
        elif stream == SAME_AS:
            _run(db, "delete_same_as", {"load": load, "n": number})
        elif stream == NODES:
            _run(db, "delete_nodes", {"load": load, "n": number, "span": SPAN}, locked=True)
        else:
            _run(db, "delete_chunk", {"load": load, "n": number})


def _run(db: Database, query: str, parameters: Mapping[str, Any], *, locked: bool = False) -> list[list[Any]]:
    """Run a query of a removal, again for a node that just got a relationship.

    ``locked`` means that no load writes nodes meanwhile.
    """

    def work(tx: Transaction) -> list[list[Any]]:
        if locked:
            tx.run("store_lock")
        return tx.run(query, parameters)

    for _ in range(TRIES - 1):
        try:
            return db.write(work)
        except TakenError:
            continue
    return db.write(work)
