"""Paths through all topics: instances of relation paths that also touch the other topic entities win (Definition 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Floats, Ids, Index
from hydra_kg.steps.explore import Tree
from hydra_kg.steps.hops import HopGraph


@dataclass(frozen=True, slots=True, eq=False)
class RelationPath:
    """One relation path from one topic with the instances that satisfy most other topics.

    codes: hop codes · rows: int64, rows of ``tree`` that are its instances · ends: int32 distinct local end nodes,
    ascending by class id · through: local nodes of the other topics that every instance touches.
    """

    tree: Tree
    index: int
    score: float
    rows: Ids
    ends: Index
    through: tuple[int, ...]

    @property
    def codes(self) -> tuple[int, ...]:
        """Hop codes."""
        return tuple(self.tree.codes[self.index].tolist())

    @property
    def hops(self) -> int:
        """Length."""
        return self.tree.depth


def constrain(
    graph: HopGraph,
    trees: Sequence[Tree],
    *,
    topics: Sequence[int],
    near: Mapping[int, Floats],
    bonus: float = 0.2,
    weight: float = 0.0,
    keep: int = 80,
    targets: Index | None = None,
) -> list[RelationPath]:
    """The ``keep`` best relation paths of one topic's trees, best first.

    ``topics``: local nodes of all topics; ``near[t]``: float32 (n,) as explore.near gives it. Each other topic that
    some instance touches adds ``bonus``, and ``weight`` times what the hop to it scores, and leaves only the instances
    that touch the most. ``targets``: int32 local nodes (-1 for none) at which instances must end, or None.
    """
    best_of: list[_Scored] = []
    others_of = {t: [o for o in topics if o != t] for t in topics}
    exclude = np.zeros(len(graph), np.bool_)
    exclude[list(topics)] = True
    if targets is not None:
        exclude[:] = True
        exclude[targets[targets >= 0]] = False
    for tree in trees:
        others = others_of.get(tree.topic, list(topics))
        reach = _touch(tree, others, near)
        touch = np.isfinite(reach)
        count = touch.sum(axis=1, dtype=np.int64)
        count[exclude[tree.nodes[:, -1]]] = -1
        best = np.full(len(tree), -1, np.int64)
        np.maximum.at(best, tree.path, count)
        said = np.zeros(len(tree), np.float32)
        np.maximum.at(said, tree.path, np.where(touch & (count == best[tree.path])[:, None], reach, 0).sum(axis=1))
        score = np.where(best >= 0, tree.score + bonus * best + weight * said, -np.inf)
        order = np.lexsort((np.arange(len(tree)), -score))[:keep]
        state = _State(tree, count, best, touch, others)
        best_of += [_Scored(float(score[k]), k, state) for k in order.tolist() if np.isfinite(score[k])]
    best_of.sort(key=lambda s: (-s.score, s.of.tree.depth, s.codes))
    return [_path(graph, s) for s in best_of[:keep]]


@dataclass(slots=True)
class _State:
    """A tree with what its instances touch; its rows by relation path are found when the first is asked for."""

    tree: Tree
    count: Ids
    best: Ids
    touch: npt.NDArray[np.bool_]
    others: Sequence[int]
    _by_path: Ids | None = None
    _bounds: Ids | None = None

    def rows(self, k: int) -> Ids:
        """Instances of the k-th relation path that touch the most."""
        if self._by_path is None or self._bounds is None:
            self._by_path = np.argsort(self.tree.path, kind="stable")
            self._bounds = np.searchsorted(self.tree.path[self._by_path], np.arange(len(self.tree) + 1))
        rows: Ids = self._by_path[self._bounds[k] : self._bounds[k + 1]]
        kept: Ids = rows[self.count[rows] == self.best[k]]
        return kept


@dataclass(frozen=True, slots=True)
class _Scored:
    score: float
    index: int
    of: _State

    @property
    def codes(self) -> tuple[int, ...]:
        return tuple(self.of.tree.codes[self.index].tolist())


def _path(graph: HopGraph, scored: _Scored) -> RelationPath:
    state, k = scored.of, scored.index
    rows = state.rows(k)
    ends = np.unique(state.tree.nodes[rows, -1])
    ends = ends[np.argsort(graph.ids[ends], kind="stable")]
    touched = tuple(o for j, o in enumerate(state.others) if state.touch[rows, j].all())
    return RelationPath(state.tree, k, scored.score, rows, ends, touched)


def _touch(tree: Tree, others: Sequence[int], near: Mapping[int, Floats]) -> Floats:
    """float32 (k, len(others)): the best hop from the instance's nodes to the other topic (not as its end), or -inf."""
    touch = np.full((len(tree.path), len(others)), -np.inf, np.float32)
    for j, other in enumerate(others):
        close = near[other]
        for step in range(tree.depth):
            node, via = tree.nodes[:, step + 1], tree.via[:, step]
            np.maximum(touch[:, j], np.where(node == other, 0, close[node]), out=touch[:, j])
            np.maximum(touch[:, j], np.where(via >= 0, close[via], -np.inf), out=touch[:, j])
    return touch
