"""A snapshot that ends with its question: every read checks the question's token, counts its work, and is reported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Unpack

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Entity, Fact, Ids, Links, NameHit, Passage, Subgraph, Values
from hydra_kg.events.question import MOST, Cut, PageRead, QuestionEvent, Read
from hydra_kg.ports import CutOptions, Reach, Snapshot
from hydra_kg.steps.snapshots.snapshot_proxy import SnapshotProxy
from hydra_kg.util.cancelling import ITEM_WORK, alive, check


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
