"""A snapshot that caches for one question: its explorations share cuts, facts, entities and searches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar, Unpack

import numpy as np
import numpy.typing as npt
from cachetools import LRUCache

from hydra_kg.domain import Entity, Fact, Floats, Ids, NameHit, Passage, Subgraph
from hydra_kg.ports import CutOptions, Reach, Snapshot
from hydra_kg.steps.snapshots.snapshot_proxy import SnapshotProxy

T = TypeVar("T")

CUTS = 3
"""Cuts kept: one of three hops is some 25 MB."""


class Memory:
    """LRU cache of ``most`` results of a question; thread-safe, may compute twice."""

    def __init__(self, most: int = 64) -> None:
        self._lock = threading.Lock()
        self._cache: LRUCache[Hashable, Any] = LRUCache(most)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the cached result for the key; calls ``make`` on a miss."""
        with self._lock:
            if key in self._cache:
                known: T = self._cache[key]
                return known
        made = make()
        with self._lock:
            self._cache[key] = made
        return made


class Cuts:
    """LRU cache of cuts; a cut that left nothing out serves every ranking of predicates."""

    def __init__(self, cut: Callable[..., Subgraph]) -> None:
        self._cut = cut
        self._cache: LRUCache[Hashable, tuple[Floats | None, Subgraph]] = LRUCache(CUTS)

    def __call__(self, topics: Sequence[int], *, depth: int, **options: Unpack[CutOptions]) -> Subgraph:
        """Return the cut, which is made only if no stored one is the same."""
        rank = options.get("rank")
        others = (options.get("hops", "entity"), options.get("budget", 0), options.get("hub_cap", 0))
        key = (tuple(sorted(set(topics))), depth, *others)
        ranked, graph = self._cache.get(key, (None, None))
        if graph is None or (graph.truncated and not _same(ranked, rank)):
            graph = self._cut(topics, depth=depth, **options)
            self._cache[key] = rank, graph
        return graph


class CachingSnapshot(SnapshotProxy):
    """A :class:`hydra_kg.ports.Snapshot` that asks another one only once; do not write to its results."""

    def __init__(self, inner: Snapshot) -> None:
        super().__init__(inner)
        self._cuts = Cuts(inner.cut)
        self._lock = threading.Lock()  # who waits for the other finds what that one asked for
        self._facts: dict[tuple[int, int], Fact] = {}
        self._entities: dict[int, Entity] = {}
        self._names: dict[tuple[str, int, Reach], list[NameHit]] = {}
        self._passages: dict[tuple[tuple[int, ...], str, int], list[Passage]] = {}

    def find(self, names: Sequence[str], *, limit: int = 50, reach: Reach = "exact") -> list[list[NameHit]]:
        with self._lock:
            new = [n for n in dict.fromkeys(names) if (n, limit, reach) not in self._names]
            if new:
                found = self.inner.find(new, limit=limit, reach=reach)
                self._names.update(zip(((n, limit, reach) for n in new), found, strict=True))
        return [list(self._names[n, limit, reach]) for n in names]

    def passages(self, nodes: Sequence[int], *, query: str = "", limit: int = 20) -> list[Passage]:
        key = tuple(nodes), query, limit
        if key not in self._passages:
            self._passages[key] = self.inner.passages(nodes, query=query, limit=limit)
        return list(self._passages[key])

    def cut(self, topics: Sequence[int], *, depth: int, **options: Unpack[CutOptions]) -> Subgraph:
        return self._cuts(topics, depth=depth, **options)

    def facts(self, segment: npt.NDArray[np.int16], row: Ids) -> list[Fact]:
        asked = list(zip(segment.tolist(), row.tolist(), strict=True))
        new = {handle: n for n, handle in enumerate(asked) if handle not in self._facts}
        if new:
            at = list(new.values())
            self._facts.update(zip(new, self.inner.facts(segment[at], row[at]), strict=True))
        return [self._facts[handle] for handle in asked]

    def entities(self, nodes: Sequence[int]) -> list[Entity]:
        with self._lock:
            new = [n for n in dict.fromkeys(nodes) if n not in self._entities]
            if new:
                self._entities.update(zip(new, self.inner.entities(new), strict=True))
        return [self._entities[n] for n in nodes]


def _same(one: Floats | None, other: Floats | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(one, other)
