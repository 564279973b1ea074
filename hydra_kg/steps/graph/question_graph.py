"""The graph that one question is asked of, and results about it that all steps share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar
from weakref import WeakKeyDictionary

from hydra_kg.ports import Snapshot
from hydra_kg.steps.graph.relation_space import RelationSpace
from hydra_kg.steps.snapshots.caching_snapshot import Memory
from hydra_kg.steps.snapshots.overlay import Overlay, TextEdge

T = TypeVar("T")


class QuestionGraph:
    """A snapshot with its relations, and the text edges that were joined to it in this question."""

    def __init__(self, snapshot: Snapshot, space: RelationSpace) -> None:
        self.snapshot = snapshot
        self.space = space

    @property
    def stored(self) -> Snapshot:
        """Return the snapshot without the edges from text."""
        return self.snapshot.inner if isinstance(self.snapshot, Overlay) else self.snapshot

    def join(self, edges: Sequence[TextEdge]) -> None:
        """Add hops written from text to the graph for this question, if its relation space is its own."""
        joined_before = self.snapshot.edges if isinstance(self.snapshot, Overlay) else ()
        if not self.space.own or set(edges) <= set(joined_before):
            return
        joined = Overlay(self.snapshot, edges)
        if joined.edges != joined_before and self.space.extend(joined.predicates()):
            self.snapshot = joined


class PerQuestion:
    """Cache of a function's last result per question by key, thread-safe. Results must not refer to the graph."""

    def __init__(self, most: int = 64) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._memories: WeakKeyDictionary[QuestionGraph, Memory] = WeakKeyDictionary()

    def get(self, graph: QuestionGraph, key: Hashable, make: Callable[[], T]) -> T:
        """Return what ``make`` returned when the key was first asked for in this question."""
        with self._lock:
            memory = self._memories.get(graph)
            if memory is None:
                memory = self._memories[graph] = Memory(self._most)
        return memory.get(key, make)

    def __len__(self) -> int:
        """Return the number of questions with cached results."""
        return len(self._memories)
