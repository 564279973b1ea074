"""Paths through all topics: instances of relation paths that also touch the other topic entities win (Definition 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hydra_kg.domain import Floats, Ids, Index
from hydra_kg.steps.graph.cut_hops import Flags, HopGraph
from hydra_kg.steps.retrieval.path_search import Tree
from hydra_kg.util.fast_dataclass import dataclass
from hydra_kg.util.number_columns import take_rows


@dataclass(frozen=True, slots=True, eq=False)
class RelationPath:
    """A relation path of a topic, and its instances that pass the most other topics.

    Args:
        tree: The tree that the path belongs to.
        index: Its number in the tree.
        score: Its score.
        rows: Its instances in the tree, int64.
        ends: The nodes at which they end, int32, ascending by class id.
        through: The other topics that all instances pass.
        whole: The tree of the path through all topics, if there is one.
    """

    tree: Tree
    index: int
    score: float
    rows: Ids
    ends: Index
    through: tuple[int, ...]
    whole: Tree | None = None

    @property
    def shown(self) -> Tree:
        """Return the tree of all hops, as one chain."""
        return self.whole or self.tree

    @property
    def codes(self) -> tuple[int, ...]:
        """Return the hop codes."""
        return tuple(self.tree.codes[self.index].tolist())

    @property
    def hops(self) -> int:
        """Return the number of hops."""
        return self.tree.depth


def constrain(
    graph: HopGraph,
    trees: Sequence[Tree],
    *,
    topics: Sequence[int],
    near: Mapping[int, Floats],
    bonus: float = 0.0,
    weight: float = 0.0,
    keep: int = 80,
    targets: Index | None = None,
    barred: Index | None = None,
) -> list[RelationPath]:
    """Return the ``keep`` best relation paths.

    Args:
        near: ``near[t]`` has the score of the hop from each node to topic ``t``.
        bonus: What each other topic that is touched adds to the score.
        weight: The weight of the hop to it, which is added too. Only instances with the most topics stay.
        targets: The nodes at which paths may end, None for any.
        barred: Nodes at which paths never end, except targets.
    """
    best_of: list[_Scored] = []
    fits: dict[Tree, tuple[Flags, Flags, Sequence[int]]] = {}
    others_of = {t: [o for o in topics if o != t] for t in topics}
    exclude = np.zeros(len(graph), np.bool_)
    exclude[list(topics)] = True
    if barred is not None:
        exclude[barred[barred >= 0]] = True
    if targets is not None:
        exclude[:] = True
        exclude[targets[targets >= 0]] = False
    for tree in trees:
        others = others_of.get(tree.topic, list(topics))
        reach = _touch(tree, others, near)
        touch = np.isfinite(reach)
        count = touch.sum(axis=1, dtype=np.int64)
        count[take_rows(exclude, tree.ends)] = -1
        best = np.full(len(tree), -1, np.int64)
        np.maximum.at(best, tree.path, count)
        topic_reach = np.zeros(len(tree), np.float32)
        np.maximum.at(
            topic_reach, tree.path, np.where(touch & (count == best[tree.path])[:, None], reach, 0).sum(axis=1)
        )
        score = np.where(best >= 0, tree.score + bonus * best + weight * topic_reach, -np.inf)
        order = np.lexsort((np.arange(len(tree)), -score))[:keep]
        best_of += [_Scored(float(score[k]), k, tree) for k in order.tolist() if np.isfinite(score[k])]
        fits[tree] = count == best[tree.path], touch, others
    best_of.sort(key=lambda s: (-s.score, s.tree.depth, s.codes))
    paths: dict[_Scored, RelationPath] = {}
    for tree, (fit, touch, others_touched) in fits.items():
        paths |= _paths(graph, [s for s in best_of[:keep] if s.tree is tree], fit, touch, others_touched)
    return [paths[s] for s in best_of[:keep]]


@dataclass(frozen=True, slots=True, eq=False)
class _Scored:
    """A relation path of a tree with its score."""

    score: float
    index: int
    tree: Tree

    @property
    def codes(self) -> tuple[int, ...]:
        return tuple(self.tree.codes[self.index].tolist())


def _paths(
    graph: HopGraph, chosen: Sequence[_Scored], fit: Flags, touch: Flags, others: Sequence[int]
) -> dict[_Scored, RelationPath]:
    """Return chosen relation paths with their ``fit`` instances: rows, ends, and the topics that all of them touch."""
    if not chosen:
        return {}
    tree = chosen[0].tree
    place = np.full(len(tree), len(chosen), np.int64)
    place[[s.index for s in chosen]] = np.arange(len(chosen))
    rows = np.flatnonzero(fit & (place[tree.path] < len(chosen)))
    rows = rows[tree.last.order(rows, place[tree.path[rows]])]
    own = place[tree.path[rows]]
    ends = tree.ends[rows]
    pairs, first = np.unique(own << 32 | graph.nodes[ends], return_index=True)  # nodes are in the order of class ids
    numbers = np.arange(len(chosen) + 1)
    at, stop = np.searchsorted(own, numbers).tolist(), np.searchsorted(pairs >> 32, numbers).tolist()
    found = {}
    for n, s in enumerate(chosen):
        mine = rows[at[n] : at[n + 1]]
        touched = tuple(o for j, o in enumerate(others) if touch[mine, j].all())
        found[s] = RelationPath(tree, s.index, s.score, mine, ends[first[stop[n] : stop[n + 1]]], touched)
    return found


def _touch(tree: Tree, others: Sequence[int], near: Mapping[int, Floats]) -> Floats:
    """Return the score of the best hop from an instance's nodes to each other topic, float32 (k, len(others)).

    It is -inf if there is none. The topic itself must not be the instance's end.
    """
    touch = np.full((len(tree.path), len(others)), -np.inf, np.float32)
    every = np.arange(len(tree.path)) if len(others) else np.empty(0, np.int64)
    nodes, vias = tree.nodes(every), tree.via(every)
    for j, other in enumerate(others):
        close = near[other]
        for step in range(tree.depth):
            node, via = nodes[:, step + 1], vias[:, step]
            np.maximum(touch[:, j], np.where(node == other, 0, close[node]), out=touch[:, j])
            np.maximum(touch[:, j], np.where(via >= 0, close[via], -np.inf), out=touch[:, j])
    return touch
