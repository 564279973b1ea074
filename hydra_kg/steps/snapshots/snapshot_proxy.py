"""Base of snapshots that change one answer of another one and delegate the rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import (
    Entity,
    Fact,
    Floats,
    Hops,
    Ids,
    Links,
    LoadInfo,
    NameHit,
    Passage,
    Predicates,
    Subgraph,
    Values,
)
from hydra_kg.ports import LoadScanning, Reach, Snapshot


class SnapshotProxy:
    """Fulfils :class:`hydra_kg.ports.Snapshot` by asking ``inner``; each method is as in the snapshot below."""

    def __init__(self, inner: Snapshot) -> None:
        self.inner: Snapshot = inner

    def manifest(self) -> tuple[LoadInfo, ...]:
        """The ready loads."""
        return self.inner.manifest()

    def predicates(self) -> Predicates:
        """All predicates."""
        return self.inner.predicates()

    def find(self, names: Sequence[str], *, limit: int = 50, reach: Reach = "exact") -> list[list[NameHit]]:
        """Link candidates."""
        return self.inner.find(names, limit=limit, reach=reach)

    def lookup(self, keys: Sequence[str]) -> list[int | None]:
        """Classes of keys."""
        return self.inner.lookup(keys)

    def entities(self, nodes: Sequence[int]) -> list[Entity]:
        """Names and more of classes."""
        return self.inner.entities(nodes)

    def cut(
        self,
        topics: Sequence[int],
        *,
        depth: int,
        hops: Hops = "entity",
        rank: Floats | None = None,
        budget: int = 0,
        hub_cap: int = 0,
    ) -> Subgraph:
        """G_q around topics."""
        return self.inner.cut(topics, depth=depth, hops=hops, rank=rank, budget=budget, hub_cap=hub_cap)

    def values(self, nodes: Sequence[int]) -> Values:
        """Literal facts."""
        return self.inner.values(nodes)

    def between(self, left: Ids, right: Ids) -> Links:
        """Facts that link pairs."""
        return self.inner.between(left, right)

    def facts(self, segment: npt.NDArray[np.int16], row: Ids) -> list[Fact]:
        """Facts by handle."""
        return self.inner.facts(segment, row)

    def passages(self, nodes: Sequence[int], *, query: str = "", limit: int = 20) -> list[Passage]:
        """Passages about classes and for a query."""
        return self.inner.passages(nodes, query=query, limit=limit)

    def all_classes(self, *, after: int | None = None, limit: int = 10_000) -> Ids:
        """A page of classes."""
        return self.inner.all_classes(after=after, limit=limit)

    def relation_pairs(self) -> npt.NDArray[np.int32]:
        """Two-leg relations through mediators."""
        return self.inner.relation_pairs()


def load_scanning(snapshot: Snapshot) -> LoadScanning | None:
    """Return what scans single loads: the snapshot, or the one that its proxies ask; None if that cannot."""
    while isinstance(snapshot, SnapshotProxy):
        snapshot = snapshot.inner
    return snapshot if isinstance(snapshot, LoadScanning) else None
