"""What every asking step is handed: one question, and the ports and settings it may use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Entity
from hydra_kg.ports import Agent, Snapshot, VectorIndex
from hydra_kg.settings import Settings
from hydra_kg.steps.relations import RelationSpace


@dataclass(slots=True)
class Context:
    """One question. The reasoner makes it; strategies pass it on.

    ``topics``, ``topic_keys``: classes a person named (linking is skipped) · ``allowed``: source names that may be
    used, empty for all · ``depth``: hops, 0 for the strategy's choice · ``phase(name)``: times a phase and tells
    listeners · ``new_index()``: an empty vector index.
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
    _known: dict[int, Entity] = field(default_factory=dict)

    def entities(self, ids: Sequence[int]) -> Mapping[int, Entity]:
        """Entities by class id, asked for once per question; the mapping may hold more."""
        missing = sorted(set(ids) - self._known.keys())
        if missing:
            self._known.update(zip(missing, self.snapshot.entities(missing), strict=True))
        return self._known

    def segments(self) -> npt.NDArray[np.bool_] | None:
        """bool (loads,): loads that may be used; None for all. A load counts if all its sources are allowed."""
        if not self.allowed:
            return None
        return np.array([all(s.name in self.allowed for s in m.sources) for m in self.snapshot.manifest()], np.bool_)
