"""Shared by all reads of one pinned set of loads: loads, predicates, classes, keys of nodes and display names."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hydra_kg import ids
from hydra_kg.domain import Ids, LoadInfo, Predicates, Source
from hydra_kg.errors import StoreError
from hydra_kg.stores.neo4j.connection.load_rows import check_load
from hydra_kg.stores.neo4j.connection.queries import SPAN, Database, type_name
from hydra_kg.stores.neo4j.reads.nodes import Classes
from hydra_kg.text.typos import Vocabulary
from hydra_kg.util.fast_dataclass import dataclass

BATCH: Final = 5_000  # ids or names handed to one query

Name = tuple[int, int, int, str]  # load (its place in the manifest), node, kind, text


@dataclass(frozen=True, slots=True)
class ReadyLoad:
    """A ready load: number, manifest, file, rows per chunk, and counts over its texts."""

    number: int
    info: LoadInfo
    file: str
    rows: int
    texts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class PinnedLoads:
    """The snapshot that one question reads: a generation and its ready loads, sorted by name."""

    generation: int
    loads: tuple[ReadyLoad, ...]


def pin(db: Database) -> PinnedLoads:
    """Return the current generation and its ready loads."""
    ((generation, rows),) = db.read("pin")
    names = ("id", "name", "sources", "facts", "checksum", "flipped", "file", "rows", "texts")
    unread = {"counts": "{}", "details": "{}"}
    loads = [_ready_load(check_load(dict(zip(names, row, strict=True)) | unread)) for row in rows]
    return PinnedLoads(generation, tuple(sorted(loads, key=lambda x: x.info.name)))


def _ready_load(load: Mapping[str, Any]) -> ReadyLoad:
    sources = tuple(Source(**source) for source in json.loads(load["sources"]))
    info = LoadInfo(load["name"], sources, load["facts"], load["checksum"], load["flipped"])
    return ReadyLoad(load["id"], info, load["file"], load["rows"], json.loads(load["texts"]))


class GraphReader:
    """Reads for one pinned set. Safe for threads. Classes, predicates and words are fetched once."""

    def __init__(self, db: Database, pinned: PinnedLoads) -> None:
        self.db, self.pinned = db, pinned
        self.numbers = [load.number for load in pinned.loads]
        self.segments = np.full(max(self.numbers, default=0) + 2, -1, np.int16)  # of load numbers; the last: unknown
        self.segments[self.numbers] = np.arange(len(self.numbers), dtype=np.int16)
        self._lock = threading.Lock()
        self._terms: dict[int, str] = {}

    @cached_property
    def classes(self) -> Classes:
        """Return the same-as classes, with numbers about nodes."""
        rows = self.db.read("classes", {"generation": self.pinned.generation}) if self.pinned.loads else []
        member, representative = (
            np.concatenate([np.empty(0, np.int64), *(np.asarray(r[i], np.int64) for r in rows)]) for i in (0, 1)
        )
        return Classes(self.db, self.numbers, member, representative)

    @cached_property
    def predicates(self) -> Predicates:
        """Return all predicates, with the texts of the first load that has each."""
        count: dict[int, int] = {}
        known: dict[int, list[str]] = {}
        rows = {row[0]: row[1:] for row in self.db.read("predicates", {"loads": self.numbers})}
        for number in self.numbers:
            for i, *texts, n in zip(*rows.get(number, ()), strict=True):
                count[i] = count.get(i, 0) + n
                old = known.setdefault(i, texts)
                old[:] = [x or y for x, y in zip(old, texts, strict=True)]
        order = sorted(known)
        keys, readings, inverse = (tuple(known[i][c] for i in order) for c in range(3))
        return Predicates(
            np.array(order, np.int64), keys, readings, inverse, np.array([count[i] for i in order], np.int64)
        )

    @cached_property
    def types(self) -> Mapping[str, int]:
        """Return the place of each predicate by its relationship type."""
        return {type_name(key): i for i, key in enumerate(self.predicates.keys)}

    @cached_property
    def vocabularies(self) -> tuple[Vocabulary, ...]:
        """Return the words of each load's names, for typos. They are read at the first typo."""
        rows = {row[0]: row[1:] for row in self.db.read("words", {"loads": self.numbers})}
        return tuple(Vocabulary(sorted(zip(*rows[n], strict=True))) for n in self.numbers if n in rows)

    @cached_property
    def fused_mediators(self) -> Ids:
        """Return the members of fused classes that include a mediator.

        They may be mediators, whatever their labels are.
        """
        rows = self.db.read("mediators_fused", {"generation": self.pinned.generation}) if self.pinned.loads else []
        return self.classes.members(np.unique(self.classes.of(np.array([row[0] for row in rows], np.int64))))

    def segment_of(self, handles: Ids) -> npt.NDArray[np.int16]:
        """Return the place of each handle's load in the manifest, or -1 if no load here has that handle."""
        numbers, last = handles // SPAN, len(self.segments) - 1
        found = self.segments[np.where((numbers >= 0) & (numbers < last), numbers, last)]
        facts = np.array([*(load.info.facts for load in self.pinned.loads), 0], np.int64)
        out: npt.NDArray[np.int16] = np.where(handles % SPAN < facts[found], found, np.int16(-1))
        return out

    def classes_of(self, nodes: Sequence[int] | Ids) -> tuple[Ids, npt.NDArray[np.bool_]]:
        """Return the class of each node, and whether any of the loads has it."""
        found = self.classes.of(np.asarray(nodes, np.int64))
        return found, self.classes.known(found)

    def many(self, query: str, wanted: Iterable[int], parameters: Mapping[str, Any] | None = None) -> list[list[Any]]:
        """Return all rows of a query over many ids, which is run in batches."""
        todo = list(dict.fromkeys(wanted))
        rows: list[list[Any]] = []
        for i in range(0, len(todo), BATCH):
            rows += self.db.read(query, {"ids": todo[i : i + BATCH], **(parameters or {})})
        return rows

    def keys(self, wanted: Sequence[int]) -> list[str]:
        """Return the texts of node ids, "" for an unknown id."""
        missing = [i for i in wanted if not ids.is_inline(i) and i not in self._terms]
        found = {i: key for row in self.many("keys", missing) for i, key in zip(*row, strict=True)}
        with self._lock:
            self._terms.update(found)
        return [own if (own := ids.decode(i)) is not None else self._terms.get(i, "") for i in wanted]

    def names(self, nodes: Iterable[int]) -> list[Name]:
        """Return names, aliases, titles and descriptions of nodes."""
        rows = self.many("names_of", nodes, {"loads": self.numbers})
        return [(int(self.segments[load]), node, kind, text) for node, load, kind, text in rows]

    def labels(self, classes: Sequence[int]) -> dict[int, str]:
        """Return the display name of each class that has one, by name space, first load, then least id."""
        members = self.classes.members(np.unique(np.asarray(classes, np.int64)))
        return labels(self.classes, self.names(members.tolist()))

    def fail_if_closed(self) -> None:
        """Raise StoreError if a load that this reader uses was removed from the server."""
        if self.numbers:
            ((generation, whole),) = self.db.read("generation", {"loads": self.numbers})
            if generation != self.pinned.generation and set(whole) != set(self.numbers):
                raise StoreError(
                    "A load was dropped and removed by another program while it was being read.", remedy="Ask again."
                )


def space(number: int) -> int:
    """Return the name space of an id; mids and g-ids count as one."""
    return ids.MID if number & 7 == ids.GID else number & 7


def labels(classes: Classes, names: Sequence[Name]) -> dict[int, str]:
    """Return the display names of classes, chosen from some names."""
    own: dict[tuple[int, int], tuple[int, str]] = {}
    for load, node, kind, text in names:
        if kind in (0, 2):
            current = own.get((load, node))
            if current is None or (kind, text) < current:
                own[load, node] = (kind, text)
    nodes = np.array([node for _, node in own], np.int64)
    best: dict[int, tuple[bool, int, int, str]] = {}
    for c, ((load, node), (_, text)) in zip(classes.of(nodes).tolist(), own.items(), strict=True):
        rank = (space(node) != space(c), load, node, text)
        if text and (c not in best or rank < best[c]):
            best[c] = rank
    return {c: rank[3] for c, rank in best.items()}


def columns(dtypes: Sequence[npt.DTypeLike], rows: Sequence[Sequence[Any]]) -> list[npt.NDArray[Any]]:
    """Return rows as arrays, one per column."""
    made = zip(*rows, strict=True) if rows else ((),) * len(dtypes)
    return [np.array(column, dtype) for column, dtype in zip(made, dtypes, strict=True)]
