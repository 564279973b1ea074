"""Snapshots that lie: links to some classes hidden, or passages planted, to see what an answer is worth."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from hydra_kg.domain import Floats, Hops, Ids, Links, Locator, Passage, Source, Subgraph, Values
from hydra_kg.ports import Snapshot
from hydra_kg.steps.snapshots.snapshot_proxy import SnapshotProxy


class Hidden(SnapshotProxy):
    """A snapshot without any fact that has one of ``nodes`` as an end or one of ``literals`` as its value."""

    def __init__(self, inner: Snapshot, nodes: Collection[int], literals: Collection[str]) -> None:
        super().__init__(inner)
        self._nodes = np.array(sorted(nodes), np.int64)
        self._literals = frozenset(literals)

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
        """The cut below without those facts; nodes stay."""
        graph = self.inner.cut(topics, depth=depth, hops=hops, rank=rank, budget=budget, hub_cap=hub_cap)
        gone = np.isin(graph.ids, self._nodes)
        return graph.select(~(gone[graph.src] | gone[graph.dst]))

    def values(self, nodes: Sequence[int]) -> Values:
        """Literal facts without those."""
        found = self.inner.values(nodes)
        keep = np.array([t not in self._literals for t in found.literal], np.bool_)
        keep &= ~np.isin(found.node, self._nodes)
        texts = tuple(t for t, stays in zip(found.literal, keep.tolist(), strict=True) if stays)
        return Values(found.node[keep], found.pred[keep], texts, found.segment[keep], found.row[keep])

    def between(self, left: Ids, right: Ids) -> Links:
        """Facts between pairs, without those."""
        links = self.inner.between(left, right)
        gone = np.isin(np.asarray(left), self._nodes) | np.isin(np.asarray(right), self._nodes)
        keep = ~gone[links.pair]
        return Links(links.pair[keep], links.forward[keep], links.pred[keep], links.segment[keep], links.row[keep])


class Planted(SnapshotProxy):
    """A snapshot with passages of a poisoned page before all others, whatever is asked for."""

    def __init__(self, inner: Snapshot, texts: Sequence[str], *, title: str, node: int, kind: str = "wiki") -> None:
        super().__init__(inner)
        source = Source("poison", kind, origin="poison.example", url="https://poison.example/")  # type: ignore[arg-type]
        self._planted = [
            Passage(f"poison-{i}", title, text, source, Locator(page=title, url=source.url), node)
            for i, text in enumerate(texts)
        ]

    def passages(self, nodes: Sequence[int], *, query: str = "", limit: int = 20) -> list[Passage]:
        """The planted ones, then those below."""
        return [*self._planted, *self.inner.passages(nodes, query=query, limit=limit)][: limit or None]
