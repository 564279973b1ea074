"""Snapshots that ask another one: the base that delegates, and one whose reads are checked, counted and reported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Unpack

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Entity, Fact, Ids, Links, LoadInfo, NameHit, Passage, Predicates, Subgraph, Values
from hydra_kg.events.question import MOST, Cut, PageRead, QuestionEvent, Read
from hydra_kg.ports import CutOptions, LoadScanning, Reach, Snapshot
from hydra_kg.util.cancelling import ITEM_WORK, alive, check


class SnapshotProxy:
    """Fulfils :class:`hydra_kg.ports.Snapshot` by asking ``inner``; each method is as in the snapshot below."""

    def __init__(self, inner: Snapshot) -> None:
        self.inner: Snapshot = inner

    def manifest(self) -> tuple[LoadInfo, ...]:
        return self.inner.manifest()

    def predicates(self) -> Predicates:
        return self.inner.predicates()

    def find(self, names: Sequence[str], *, limit: int = 50, reach: Reach = "exact") -> list[list[NameHit]]:
        return self.inner.find(names, limit=limit, reach=reach)

    def lookup(self, keys: Sequence[str]) -> list[int | None]:
        return self.inner.lookup(keys)

    def entities(self, nodes: Sequence[int]) -> list[Entity]:
        return self.inner.entities(nodes)

    def cut(self, topics: Sequence[int], *, depth: int, **options: Unpack[CutOptions]) -> Subgraph:
        return self.inner.cut(topics, depth=depth, **options)

    def values(self, nodes: Sequence[int]) -> Values:
        return self.inner.values(nodes)

    def between(self, left: Ids, right: Ids) -> Links:
        return self.inner.between(left, right)

    def facts(self, segment: npt.NDArray[np.int16], row: Ids) -> list[Fact]:
        return self.inner.facts(segment, row)

    def passages(self, nodes: Sequence[int], *, query: str = "", limit: int = 20) -> list[Passage]:
        return self.inner.passages(nodes, query=query, limit=limit)

    def all_classes(self, *, after: int | None = None, limit: int = 10_000) -> Ids:
        return self.inner.all_classes(after=after, limit=limit)

    def relation_pairs(self) -> npt.NDArray[np.int32]:
        return self.inner.relation_pairs()


def load_scanning(snapshot: Snapshot) -> LoadScanning | None:
    """Return the snapshot that can scan single loads: this one or the one its proxies ask; None if it cannot."""
    stored = stored_snapshot(snapshot)
    return stored if isinstance(stored, LoadScanning) else None


def stored_snapshot(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot that no proxy is: it outlives the question and keeps nothing of what it reads."""
    while isinstance(snapshot, SnapshotProxy):
        snapshot = snapshot.inner
    return snapshot


class ObservedSnapshot(SnapshotProxy):
    """A Snapshot that reports reads and raises StoppedError or TooMuchWorkError in each of them."""

    def __init__(self, inner: Snapshot, tell: Callable[[QuestionEvent], None] | None) -> None:
        super().__init__(inner)
        self._tell = tell

    def find(self, names: Sequence[str], *, limit: int = 50, reach: Reach = "exact") -> list[list[NameHit]]:
        check()
        return alive(self.inner.find(names, limit=limit, reach=reach))

    def entities(self, nodes: Sequence[int]) -> list[Entity]:
        check(len(nodes) * ITEM_WORK)
        return alive(self.inner.entities(nodes))

    def cut(self, topics: Sequence[int], *, depth: int, **options: Unpack[CutOptions]) -> Subgraph:
        check()
        graph = self.inner.cut(topics, depth=depth, **options)
        check(len(graph))
        if self._tell is not None:
            self._tell(Cut(len(graph.nodes), len(graph), depth, graph.dropped))
        return graph

    def values(self, nodes: Sequence[int]) -> Values:
        check(len(nodes))
        found = self.inner.values(nodes)
        check(len(found.node) * ITEM_WORK)
        return found

    def between(self, left: Ids, right: Ids) -> Links:
        check(len(left))
        return alive(self.inner.between(left, right))

    def facts(self, segment: npt.NDArray[np.int16], row: Ids) -> list[Fact]:
        check(len(row) * ITEM_WORK)
        return alive(self.inner.facts(segment, row))

    def passages(self, nodes: Sequence[int], *, query: str = "", limit: int = 20) -> list[Passage]:
        check()
        found = alive(self.inner.passages(nodes, query=query, limit=limit))
        if self._tell is not None and found:
            self._tell(read_event(found))
        return found

    def all_classes(self, *, after: int | None = None, limit: int = 10_000) -> Ids:
        check()
        return alive(self.inner.all_classes(after=after, limit=limit))


def read_event(passages: Sequence[Passage], *, web: bool = False) -> Read:
    """Return the event that reports these reads."""
    pages = tuple(PageRead(p.title, p.source.name, str(p.locator), p.locator.url) for p in passages[:MOST])
    return Read(pages, len(passages), web)
