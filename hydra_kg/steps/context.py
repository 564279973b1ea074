"""What every asking step is handed: one question, and the ports and settings it may use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Analysis, Entity, Passage, Predicates
from hydra_kg.ports import Agent, Snapshot, VectorIndex
from hydra_kg.settings import Settings
from hydra_kg.steps.overlay import Overlay, TextEdge
from hydra_kg.steps.relations import RelationSpace


@dataclass(slots=True)
class Context:
    """One question. The reasoner makes it; strategies pass it on.

    ``topics``, ``topic_keys``: classes a person named (linking is skipped) · ``allowed``: source names that may be
    used, empty for all · ``depth``: hops, 0 for the strategy's choice · ``phase(name)``: times a phase and tells
    listeners · ``new_index()``: an empty vector index · ``web(analysis, question)``: starts a search of the web, and
    gives what waits for its passages; None without a search engine · ``make_space``: relations of a snapshot to which
    text was joined; None joins none.
    """

    question: str
    snapshot: Snapshot
    settings: Settings
    agent: Agent
    space: RelationSpace
    phase: Callable[[str], AbstractContextManager[dict[str, Any]]]
    new_index: Callable[[], VectorIndex]
    topics: Sequence[int] = ()
    topic_keys: Sequence[str] = ()
    allowed: frozenset[str] = frozenset()
    depth: int = 0
    web: Callable[[Analysis, str], Callable[[], Sequence[Passage]]] | None = None
    make_space: Callable[[Predicates, int], RelationSpace] | None = None
    _known: dict[int, Entity] = field(default_factory=dict)

    def entities(self, ids: Sequence[int]) -> Mapping[int, Entity]:
        """Entities by class id, asked for once per question; the mapping may hold more."""
        missing = sorted(set(ids) - self._known.keys())
        if missing:
            self._known.update(zip(missing, self.snapshot.entities(missing), strict=True))
        return self._known

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of source that the settings allow: ``kg``, ``wiki``, ``web``."""
        return tuple(self.settings.kinds.split(","))

    def may(self, source: str) -> bool:
        """Whether a source may be used."""
        return not self.allowed or source in self.allowed

    def join(self, edges: Sequence[TextEdge]) -> None:
        """Let hops that were written from text join the graph, for what is left of this question."""
        if not edges or self.make_space is None:
            return
        joined = Overlay(self.snapshot, edges)
        if 2 * len(joined.predicates().ids) <= self.space.base:  # else there is no room for so many phrases
            self.snapshot = joined
            self.space = self.make_space(joined.predicates(), self.space.base)

    def segments(self) -> npt.NDArray[np.bool_] | None:
        """bool (loads,): loads that may be used; None for all. A load counts if all its sources are allowed."""
        if not self.allowed:
            return None
        return np.array([all(s.name in self.allowed for s in m.sources) for m in self.snapshot.manifest()], np.bool_)
