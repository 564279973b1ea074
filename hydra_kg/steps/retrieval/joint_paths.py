"""Paths through all topics (HydraRAG §4.2.1, PoG §4.2): a search from both ends between each topic and the next.

Trees grow from both, at most D hops each, pruned at every level; where they meet is a path (Definition 2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Floats, Ids, Index
from hydra_kg.steps.graph.cut_hops import HopGraph
from hydra_kg.steps.graph.traversal import Steps, fact_order
from hydra_kg.steps.retrieval.path_search import Codes, Scorer, Tree, explore
from hydra_kg.util.fast_dataclass import dataclass, replace

Rows = npt.NDArray[np.intp]
Worth = Callable[[Tree], Floats]
"""What the relation paths of a tree are worth as seeds of longer ones, float32 (s,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """Relation paths of one length that have topics at the same places, with their instances.

    Args:
        codes: Hop codes of the relation paths, int64 (s, d).
        score: Their scores, (s,).
        path: The relation path of each instance, (k,).
        nodes: Local nodes of the instances, int32 (k, d + 1).
        via: Mediators, (k, d), or -1.
        edges: Rows of the cut, int64 (k, d, 2), the second -1 without a mediator.
        stops: The places of the topics.
    """

    codes: Codes
    score: Floats
    path: Ids
    nodes: Index
    via: Index
    edges: Ids
    stops: tuple[int, ...]

    @property
    def hops(self) -> int:
        """Return the length of the paths."""
        return int(self.codes.shape[1])

    def take(self, rows: Rows) -> Chains:
        """Return these instances with all relation paths."""
        return replace(self, path=self.path[rows], nodes=self.nodes[rows], via=self.via[rows], edges=self.edges[rows])

    def best(self, width: int, most: int) -> Chains:
        """Return the instances of the ``width`` best relation paths, best first, at most ``most`` in all."""
        best = np.lexsort((np.arange(len(self.score)), -self.score))[:width]
        place = np.full(len(self.score), len(self.score), np.int64)
        place[best] = np.arange(len(best))
        order = np.argsort(place[self.path], kind="stable")
        return self.take(order[: min(most, int((place[self.path] < len(place)).sum()))])

    def tree(self) -> Tree:
        """Return these paths as a tree; its ``before`` is the tree of one hop less, and all have the same rows."""
        every, tree = np.arange(len(self.path)), None
        for d in range(1, self.hops + 1):
            code = self.codes[:, d - 1][self.path]
            last = Steps(every, code, self.via[:, d - 1], self.nodes[:, d], *self.edges[:, d - 1].T)
            tree = Tree(int(self.nodes[0, 0]), self.codes[:, :d], self.score, self.path, last, tree, every)
        if tree is None:
            raise ValueError("a path has one hop or more")
        return tree


def through_all(
    graph: HopGraph,
    order: Sequence[int],
    *,
    depth: int,
    most: int,
    score: Scorer,
    least: int = 0,
    worth: Worth | None = None,
    width: int = 80,
    frontier: int = 4_000,
    limit: int = 200_000,
) -> list[Chains]:
    """Return the simple paths of ``least`` < hops ≤ ``most`` through the nodes of ``order``.

    The distance from a topic to the point where two searches meet is at most ``depth``.

    Args:
        score: Scores relation paths.
        worth: The value by which the search ranks them, by default ``score``.
        width: Relation paths that are retained per level.
        frontier: Nodes from which a level grows.
        limit: Instances per pair of topics.
    """
    rest = len(order) - 2
    found = [_start(order[0])]
    for nth, (one, other) in enumerate(pairwise(order)):
        left = rest - nth  # every later pair takes a hop or more
        legs = between(
            graph,
            one,
            other,
            depth=depth,
            most=most - rest,
            score=score,
            worth=worth,
            width=width,
            frontier=frontier,
            limit=limit,
            avoid=[t for t in order if t not in (one, other)],
        )
        grown = []
        for before in found:
            fit = [leg for leg in legs if before.hops + leg.hops + left <= most]
            grown += [c for leg in fit if (c := _joined(before, _turned(leg, graph.base), score, graph.base, limit))]
        found = [c.best(width, limit) for c in grown] if left else grown
    return [c for c in found if c.hops > least]


def between(
    graph: HopGraph,
    one: int,
    other: int,
    *,
    depth: int,
    most: int,
    score: Scorer,
    worth: Worth | None = None,
    width: int = 80,
    frontier: int = 4_000,
    limit: int = 200_000,
    avoid: Sequence[int] = (),
) -> list[Chains]:
    """Return simple paths of 1 … min(2 · ``depth``, ``most``) hops between two nodes, by length, avoiding ``avoid``."""
    longest = min(2 * depth, most)
    direct = explore(graph, one, depth=1, score=score, avoid=np.array(avoid, np.int32))[0]
    rows = np.flatnonzero(direct.ends == other)
    found = [_chains(direct, rows)] if len(rows) and longest else []
    shut = np.array([*avoid, one, other], np.int32)

    def grown(topic: int, hops: int) -> list[Chains]:
        trees = explore(
            graph, topic, depth=hops, score=score, avoid=shut, width=width, frontier=frontier, worth=worth, every=True
        )
        return [_chains(t, np.arange(len(t.path))) for t in trees]

    if longest > 1:
        ahead, back = grown(one, (longest + 1) // 2), grown(other, longest // 2)
        for hops in range(2, longest + 1):
            first, last = (hops + 1) // 2 - 1, hops // 2 - 1
            if first < len(ahead) and last < len(back):
                met = _joined(ahead[first], back[last], score, graph.base, limit)
                found += [met.best(width, limit)] if met else []
    return [replace(c, stops=(0, c.hops)) for c in found]


def _start(topic: int) -> Chains:
    """Return a chain without a hop."""
    none = np.zeros((1, 0), np.int32)
    nodes = np.array([[topic]], np.int32)
    return Chains(
        none.astype(np.int64),
        np.zeros(1, np.float32),
        np.zeros(1, np.int64),
        nodes,
        none,
        np.zeros((1, 0, 2), np.int64),
        (0,),
    )


def _chains(tree: Tree, rows: Rows) -> Chains:
    """Return some instances of a tree with all their hops."""
    edges = np.stack([h.edges(at) for h, at in tree.steps(rows)], axis=1)
    return Chains(tree.codes, tree.score, tree.path[rows], tree.nodes(rows), tree.via(rows), edges, ())


def _turned(chains: Chains, base: int) -> Chains:
    """Return the same paths walked the other way."""
    edges = chains.edges[:, ::-1]
    two = edges[:, :, 1] >= 0
    swapped = np.where(two[:, :, None], edges[:, :, ::-1], edges)
    return replace(
        chains,
        codes=reversed_codes(chains.codes[:, ::-1], base),
        nodes=chains.nodes[:, ::-1],
        via=chains.via[:, ::-1],
        edges=swapped,
        stops=tuple(chains.hops - s for s in reversed(chains.stops)),
    )


def reversed_codes(codes: Codes, base: int) -> Codes:
    """Return hop codes, each walked the other way (see :func:`hydra_kg.steps.graph.cut_hops.reversed_code`)."""
    first, last = np.divmod(codes, base)
    return np.asarray(np.where(first > 0, ((last ^ 1) + 1) * base + ((first - 1) ^ 1), last ^ 1), np.int64)


def _joined(one: Chains, other: Chains, score: Scorer, base: int, limit: int) -> Chains | None:
    """Join paths of ``one`` with paths of ``other``, which are walked back; simple, best first, at most ``limit``."""
    a, b = _met(one, other, limit)
    for i in range(one.hops):  # what both pass beside the node where they meet
        for j in range(other.hops + 1):
            fit = one.nodes[a, i] != other.nodes[b, j]
            a, b = a[fit], b[fit]
    if not len(a):
        return None
    back = _turned(other, base)
    pairs, path = np.unique(one.path[a] * len(other.codes) + other.path[b], return_inverse=True)
    left, right = np.divmod(pairs, len(other.codes))
    codes = np.hstack([one.codes[left], back.codes[right]])
    return Chains(
        codes,
        score(codes),
        path.reshape(-1).astype(np.int64),
        np.hstack([one.nodes[a], back.nodes[b, 1:]]),
        np.hstack([one.via[a], back.via[b]]),
        np.concatenate([one.edges[a], back.edges[b]], axis=1),
        (*one.stops, *(one.hops + s for s in back.stops if s)),
    )


def _met(one: Chains, other: Chains, limit: int) -> tuple[Rows, Rows]:
    """Return the instances of both that end at the same node, as pairs of rows."""
    end = other.nodes[:, -1]
    ranked = np.lexsort((-other.score[other.path], end))
    first = np.searchsorted(end[ranked], one.nodes[:, -1], side="left")
    count = np.searchsorted(end[ranked], one.nodes[:, -1], side="right") - first
    rows = np.argsort(-one.score[one.path], kind="stable")
    rows = rows[count[rows] > 0]
    many = np.minimum(count[rows], limit)
    rows, many = (column[np.cumsum(many) <= limit] if many.sum() > limit else column for column in (rows, many))
    a = np.repeat(rows, many)
    at = np.arange(len(a)) - np.repeat(np.cumsum(many) - many, many)
    return a, ranked[first[a] + at]


def in_fact_order(chains: Chains, graph: HopGraph) -> Chains:
    """Sort instances by relation path, node ids and facts, because stores differ in edge order."""
    ids = graph.ids[chains.nodes]
    facts = [fact_order(graph.graph, chains.edges[:, d, 0]) for d in range(chains.hops)]
    keys = [*reversed(facts), *(ids[:, d] for d in range(chains.hops, -1, -1)), chains.path]
    return chains.take(np.lexsort(keys))
