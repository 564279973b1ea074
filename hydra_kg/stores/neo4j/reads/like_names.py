"""Finds names of a server that are spelt like a mention, with FAISS indexes that are stored locally."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Floats, Ids, NameHit
from hydra_kg.errors import StoreError
from hydra_kg.events import Listener, Progress
from hydra_kg.index.shard import AT_ONCE, EXACT, PROPOSED, SHARD, Shard, compare_spelling, name_vectors
from hydra_kg.stores import shard_folder
from hydra_kg.stores.embedded.segments.array_folder import Array
from hydra_kg.stores.embedded.segments.disk_full import folder_bytes, remove
from hydra_kg.stores.neo4j.connection.queries import Database
from hydra_kg.stores.neo4j.reads.pinned_loads import GraphReader, ReadyLoad
from hydra_kg.text.folding import fold
from hydra_kg.text.plain_text import storable

PAGE: Final = 20_000  # names of one query

_NODES: Final = "nodes"
_MARKS: Final = "marks"

Marks = npt.NDArray[np.uint32]
Proposal = tuple[int, int]
"""The node and the mark of a name."""

Row = tuple[float, int, int, int, int, str]
"""Negated similarity, load, negative number of facts, node, kind, text."""


class NamesSpeltAlike:
    """The name indexes of a reader's loads, opened when first needed, safe for threads.

    Without a ``folder`` they are in memory.
    """

    def __init__(self, reader: GraphReader, folder: Path | None) -> None:
        self._reader, self._folder = reader, folder
        self._lock = threading.Lock()
        self._open: dict[int, NodeIndex] = {}

    def find(self, names: Sequence[str], *, limit: int, listener: Listener) -> list[list[NameHit]]:
        """See :class:`hydra_kg.ports.LikeNaming`."""
        folds = [fold(storable(name)) for name in names]
        vectors = name_vectors(folds)
        rows: list[list[Row]] = [[] for _ in folds]
        for place, load in enumerate(self._reader.pinned.loads):
            index = self._index(load, listener)
            if index is None:
                continue
            near = index.near(vectors)
            wanted = [node for own in near for node, _ in own]
            known: dict[Proposal, list[Any]] = {}
            for name in self._reader.many("names_alike", wanted, {"load": load.number}):
                known.setdefault((name[0], _mark(name[3])), []).append(name)
            for at, proposals in enumerate(near):
                own = [name for proposal in sorted(proposals) for name in known.get(proposal, ())]
                alike = compare_spelling(folds[at], [text for *_, text, _ in own]).tolist()
                rows[at] += [
                    (-round(a, 6), place, fame, node, kind, text)
                    for a, (node, kind, text, _, fame) in zip(alike, own, strict=True)
                ]
        return [self._hits(sorted(own), limit) for own in rows]

    def _hits(self, rows: Sequence[Row], limit: int) -> list[NameHit]:
        known = self._reader.classes
        best: dict[int, str] = {}
        for c, row in zip(known.of(np.array([row[3] for row in rows], np.int64)).tolist(), rows, strict=True):
            best.setdefault(c, row[-1])
        chosen = list(best)[:limit]
        degree = known.degree(np.array(chosen, np.int64)).tolist()
        return [NameHit(c, best[c], "like", n) for c, n in zip(chosen, degree, strict=True)]

    def _index(self, load: ReadyLoad, listener: Listener) -> NodeIndex | None:
        with self._lock:
            if load.number not in self._open:
                index = self._opened(load, listener)
                if index is None:
                    return None
                self._open[load.number] = index
            return self._open[load.number]

    def _opened(self, load: ReadyLoad, listener: Listener) -> NodeIndex | None:
        if (there := open_node_index(self._folder, load)) is not None:
            return there
        db = self._reader.db
        if names_of(db, load.number) > AT_ONCE:
            return None
        with suppress(StoreError):  # what needs the server says what is wrong with it
            with suppress(OSError):
                if self._folder is not None:
                    make(db, self._folder, load, listener=listener)
            if (made := open_node_index(self._folder, load)) is not None:
                return made
            build = NodeIndexBuild(db, load, listener=listener)
            shards, columns = list(build.shards()), build.columns()
            return NodeIndex(shards, columns[_NODES], columns[_MARKS])
        return None


class NodeIndex:
    """Vectors of names, with the node of each, int64 (n,), and a mark, uint32 (n,).

    The mark tells names of one node apart.
    """

    def __init__(self, shards: Sequence[Shard], nodes: Ids, marks: Marks) -> None:
        self._shards, self._nodes, self._marks = shards, nodes, marks

    def near(self, vectors: Floats) -> list[set[Proposal]]:
        """Return the nearest names in each shard for each vector."""
        found: list[set[Proposal]] = [set() for _ in vectors]
        start = 0
        for shard in self._shards:
            rows, _ = shard.search(vectors, PROPOSED)
            for at, places in enumerate(rows):
                own = places[places >= 0] + start
                found[at].update(zip(self._nodes[own].tolist(), self._marks[own].tolist(), strict=True))
            start += len(shard)
        return found


class NodeIndexBuild:
    """Reads a load's names from the server by pages. At most the vectors of one shard are in memory."""

    def __init__(self, db: Database, load: ReadyLoad, *, listener: Listener) -> None:
        self._db, self._load = db, load
        self._rows = names_of(db, load.number)
        self._read: list[tuple[Ids, Marks]] = []
        self._progress = Progress(
            "load.index", total=self._rows, unit="names", listener=listener, at_once=True, more={"load": load.info.name}
        )

    def columns(self) -> dict[str, Array]:
        """Return the nodes and marks of the names, in the order of the shards."""
        nodes, marks = zip(*self._read, strict=True) if self._read else ((), ())
        none = np.empty(0, np.int64), np.empty(0, np.uint32)
        return {_NODES: np.concatenate([none[0], *nodes]), _MARKS: np.concatenate([none[1], *marks])}

    def shards(self, *, exact: int = EXACT, most: int = SHARD) -> Iterator[Shard]:
        """Yield the shards. Raise StoreError if the load is removed meanwhile."""
        pages = _pages(self._db, self._load.number, most)
        for start in range(0, self._rows, most):
            number = min(most, self._rows - start)
            yield Shard.made(self._vectors(pages, number), rows=number, exact=self._rows <= exact)

    def _vectors(self, pages: Iterator[tuple[Ids, list[str]]], number: int) -> Iterator[Floats]:
        while number > 0:
            nodes, folds = next(pages, (np.empty(0, np.int64), []))
            if not folds or len(folds) > number:
                raise StoreError("A load was removed by another program while it was read.", remedy="Ask again.")
            number -= len(folds)
            self._read.append((nodes, np.array([_mark(text) for text in folds], np.uint32)))
            yield name_vectors(folds)
            self._progress.add(len(folds))


def _mark(folded: str) -> int:
    """Return a number that tells the names of a node apart."""
    return zlib.crc32(folded.encode("utf-8", "surrogatepass"))


def names_of(db: Database, load: int) -> int:
    """Return the number of names of a load."""
    return int(db.read("names_count", {"load": load})[0][0])


def open_node_index(folder: Path | None, load: ReadyLoad) -> NodeIndex | None:
    """Return the index of a load that is stored in the folder, or None."""
    if folder is None:
        return None
    found = shard_folder.open_shards(shard_folder.index_folder(folder, str(load.number)), load.info.checksum)
    if found is None:
        return None
    shards, columns = found
    if any(len(columns.get(name, ())) != sum(map(len, shards)) for name in (_NODES, _MARKS)):
        return None
    return NodeIndex(shards, columns[_NODES], columns[_MARKS])


def make(db: Database, folder: Path, load: ReadyLoad, *, listener: Listener) -> None:
    """Make and store the index of a load. Raise OSError, StoreError."""
    build = NodeIndexBuild(db, load, listener=listener)
    shard_folder.make(
        shard_folder.index_folder(folder, str(load.number)), load.info.checksum, build.shards(), build.columns
    )


def make_all(
    db: Database,
    folder: Path | None,
    loads: Sequence[ReadyLoad],
    known: Sequence[Mapping[str, Any]],
    *,
    listener: Listener,
) -> None:
    """Index each load without a current index, and remove indexes of loads that are not ``known``.

    Raises StoreError.
    """
    if folder is None:
        return
    for load in loads:
        if open_node_index(folder, load) is None:
            try:
                make(db, folder, load, listener=listener)
            except OSError as e:
                remedy = "It is made for each process alone until it can be written."
                raise StoreError(f"The index of names cannot be stored: {e}.", remedy=remedy) from e
    for left in shard_folder.find_unused(folder, [str(row["id"]) for row in known]):
        remove(left)


def state_of(db: Database, folder: Path | None, loads: Sequence[ReadyLoad]) -> dict[str, Any]:
    """Return facts about the name indexes.

    They are the indexed ``names``, the ``missing`` ones, the ``bytes`` on disk here, and the ``seconds`` that making
    them took.
    """
    counts: dict[str, Any] = {"names": 0, "missing": 0, "bytes": 0, "seconds": 0.0}
    for load in loads:
        own = shard_folder.index_folder(folder, str(load.number)) if folder is not None else None
        noted = shard_folder.read_index_manifest(own) if own is not None else None
        if own is None or noted is None or noted["load"] != load.info.checksum:
            counts["missing"] += names_of(db, load.number)
            continue
        counts["names"] += sum(shard["rows"] for shard in noted["shards"].values())
        counts["bytes"] += folder_bytes(own)
        counts["seconds"] = round(counts["seconds"] + noted["seconds"], 3)
    return counts


def _pages(db: Database, load: int, most: int) -> Iterator[tuple[Ids, list[str]]]:
    """Yield nodes and folded names of a load, each node on one page, cut at multiples of ``most``."""
    after, done = -1, 0
    while rows := db.read("names_page", {"load": load, "after": after, "limit": PAGE}):
        first, last = rows[0][0], rows[-1][0]
        if len(rows) == PAGE and first != last:  # the last one's may go on
            rows = [row for row in rows if row[0] != last]
        elif len(rows) == PAGE:
            own = db.read("names_alike", {"load": load, "ids": [first]})
            rows = [[node, text] for node, _, _, text, _ in own]
        after = rows[-1][0]
        nodes, folds = np.array([row[0] for row in rows], np.int64), [row[1] for row in rows]
        while folds:
            number = min(len(folds), most - done % most)
            yield nodes[:number], folds[:number]
            nodes, folds, done = nodes[number:], folds[number:], done + number
