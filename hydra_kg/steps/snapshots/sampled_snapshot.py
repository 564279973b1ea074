"""A snapshot that hides a share of the facts, for the ablation of graph completeness (ToG-2 App. B.7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np

from hydra_kg.domain import Ids, Links, Subgraph, Values
from hydra_kg.ports import CutOptions, Snapshot
from hydra_kg.steps.snapshots.kg_sampling import checked, keep_links, keep_share, keep_values
from hydra_kg.steps.snapshots.snapshot_proxy import SnapshotProxy


class SampledSnapshot(SnapshotProxy):
    """A snapshot with a share of the facts of ``kg`` and ``derived`` loads, wherever facts are discovered.

    Texts, tables, names and degrees stay whole. Cuts are thinned after they are made, so that their nodes and depths do
    not change. Raises UsageError.
    """

    def __init__(self, inner: Snapshot, *, share: float, seed: int = 0) -> None:
        super().__init__(inner)
        self._share, self._seed = checked(share), seed
        self._loads = np.array(
            [any(s.kind in {"kg", "derived"} for s in m.sources) for m in inner.manifest()], np.bool_
        )
        self._predicates = inner.predicates()

    def cut(self, topics: Sequence[int], *, depth: int, **options: Unpack[CutOptions]) -> Subgraph:
        graph = self.inner.cut(topics, depth=depth, **options)
        return keep_share(graph, self._predicates, self._share, self._seed, loads=self._loads)

    def values(self, nodes: Sequence[int]) -> Values:
        return keep_values(self.inner.values(nodes), self._predicates, self._share, self._seed, loads=self._loads)

    def between(self, left: Ids, right: Ids) -> Links:
        left, right = np.asarray(left, np.int64), np.asarray(right, np.int64)
        links = self.inner.between(left, right)
        return keep_links(links, left, right, self._predicates, self._share, self._seed, loads=self._loads)
