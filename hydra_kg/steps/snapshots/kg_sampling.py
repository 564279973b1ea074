"""A share of the facts, drawn by their content and a seed: the ablation of graph completeness (ToG-2 App. B.7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Ids, Links, Predicates, Subgraph, Values
from hydra_kg.errors import UsageError
from hydra_kg.ids import encode_many
from hydra_kg.ports import CutOptions, Snapshot
from hydra_kg.steps.snapshots.snapshot_proxy import SnapshotProxy

Flags = npt.NDArray[np.bool_]
Mixed = npt.NDArray[np.uint64]

_STEP, _FIRST, _SECOND = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))


def checked(share: float) -> float:
    """Return the share. Raises UsageError outside 0 … 1."""
    if not 0 <= share <= 1:
        raise UsageError(f"kg_share {share}", remedy="Choose a share between 0 and 1.")
    return share


def drawn(subject: Ids, predicate: Ids, obj: Ids, *, share: float, seed: int) -> Flags:
    """Return which facts belong to a sample, bool (n,).

    A fact belongs to it if SplitMix64 (Steele, Lea, Flood 2014) of its ids and the seed, divided by 2^64, is below the
    share. The sample is therefore equal in every store, and a smaller share is part of a larger one. Raises UsageError.
    """
    if checked(share) == 1:
        return np.ones(len(subject), np.bool_)
    return mixed(subject, predicate, obj, seed=seed) < np.uint64(int(share * 2.0**64))


def mixed(*columns: Ids, seed: int) -> Mixed:
    """Return a number that looks random for each row of ids (int64) and a seed, uint64 (n,)."""
    out = np.full(len(columns[0]), seed & (2**64 - 1), np.uint64)
    for column in columns:
        out = _mix(out ^ column.astype(np.int64, copy=False).view(np.uint64))
    return out


def keep_share(
    graph: Subgraph, predicates: Predicates, share: float, seed: int, *, loads: Flags | None = None
) -> Subgraph:
    """Return the cut with a share of its edges; nodes stay.

    ``loads``: bool (L,), loads that lose edges, or None for all.
    """
    keep = drawn(graph.ids[graph.src], predicates.ids[graph.pred], graph.ids[graph.dst], share=share, seed=seed)
    return graph.select(keep | _spared(graph.segment, loads))


def keep_values(
    values: Values, predicates: Predicates, share: float, seed: int, *, loads: Flags | None = None
) -> Values:
    """Return the same for literal facts; a literal counts by its id."""
    literal = encode_many(values.literal)
    keep = drawn(values.node, predicates.ids[values.pred], literal, share=share, seed=seed)
    keep |= _spared(values.segment, loads)
    texts = tuple(text for text, stays in zip(values.literal, keep.tolist(), strict=True) if stays)
    return Values(values.node[keep], values.pred[keep], texts, values.segment[keep], values.row[keep])


def keep_links(
    links: Links, left: Ids, right: Ids, predicates: Predicates, share: float, seed: int, *, loads: Flags | None = None
) -> Links:
    """Return the same for facts between the classes ``left[i]`` and ``right[i]``."""
    a, b = left[links.pair], right[links.pair]
    subject, obj = np.where(links.forward, a, b), np.where(links.forward, b, a)
    keep = drawn(subject, predicates.ids[links.pred], obj, share=share, seed=seed) | _spared(links.segment, loads)
    return Links(links.pair[keep], links.forward[keep], links.pred[keep], links.segment[keep], links.row[keep])


def _spared(segment: npt.NDArray[np.int16], loads: Flags | None) -> Flags:
    spared = np.zeros(len(segment), np.bool_) if loads is None else ~loads[segment]
    return np.asarray(spared, np.bool_)


def _mix(x: Mixed) -> Mixed:
    x = x + _STEP
    x = (x ^ (x >> np.uint64(30))) * _FIRST
    x = (x ^ (x >> np.uint64(27))) * _SECOND
    return x ^ (x >> np.uint64(31))


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
