"""Tree-based path retrieval (HydraRAG §4.2.1, Algorithm 1): relation paths from a topic, pruned to W_1 per level.

A relation path (PoG Fig. 3) is scored once; its instances are columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Floats, Ids, Index
from hydra_kg.steps.graph.cut_hops import HopGraph
from hydra_kg.steps.graph.traversal import Steps, Walked
from hydra_kg.util.fast_dataclass import dataclass, field, replace

Codes = npt.NDArray[np.int64]
Rows = npt.NDArray[np.intp]
Scorer = Callable[[Codes], Floats]
"""Scores of relation paths: int64 (k, d) hop codes to float32 (k,), higher is better."""

FRONTIER: Final = 4_000
"""Nodes that a level of the search grows from."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """All relation paths of one length from a topic, with their instances.

    Args:
        topic: The local node at which the paths begin.
        codes: Hop codes of the relation paths, int64 (s, d).
        score: Their scores, (s,).
        path: The relation path of each instance, int64 (k,).
        last: The last hop of each instance, read lazily.
        before: The tree of one hop less, None for paths of one hop.
        seeds: The instances of ``before`` at which the walkers of ``last`` start, (w,).
    """

    topic: int
    codes: Codes
    score: Floats
    path: Ids
    last: Steps | Walked
    before: Tree | None = None
    seeds: Ids = field(default_factory=lambda: np.empty(0, np.int64))

    @property
    def depth(self) -> int:
        """Return the number of hops of these paths."""
        return int(self.codes.shape[1])

    @property
    def ends(self) -> Index:
        """Return the local node at which each instance ends, int32 (k,)."""
        return self.last.end

    def nodes(self, rows: Ids) -> Index:
        """Return the local nodes of these instances, the topic first, int32 (r, d + 1)."""
        return np.stack([np.full(len(rows), self.topic, np.int32), *(h.end[at] for h, at in self.steps(rows))], axis=1)

    def via(self, rows: Ids) -> Index:
        """Return the mediators of these instances, int32 (r, d), or -1."""
        return np.stack([h.mediators(at) for h, at in self.steps(rows)], axis=1)

    def instance(self, row: int) -> tuple[list[int], list[int], list[tuple[int, ...]]]:
        """Return the nodes and mediators of one instance, and the rows of the cut of each hop."""
        walker, mediator, end, facts = self.last.hop(row)
        before = self.before
        nodes, via, edges = ([self.topic], [], []) if before is None else before.instance(int(self.seeds[walker]))
        return [*nodes, end], [*via, mediator], [*edges, facts]

    def steps(self, rows: Ids) -> list[tuple[Steps | Walked, Ids]]:
        """Return the hops of these instances in their order, each with its rows."""
        if self.before is None:
            return [(self.last, rows)]
        return [*self.before.steps(self.seeds[self.last.walker[rows]]), (self.last, rows)]

    def __len__(self) -> int:
        return len(self.codes)


def explore(
    graph: HopGraph,
    topic: int,
    *,
    depth: int,
    score: Scorer,
    width: int = 80,
    fan: int = 300,
    frontier: int = 4_000,
    limit: int = 400_000,
    avoid: Index | None = None,
    toward: Index | None = None,
    lead: Scorer | None = None,
    begun: Sequence[Tree] = (),
    worth: Callable[[Tree], Floats] | None = None,
    every: bool = False,
) -> list[Tree]:
    """Return the relation paths of 1 … ``depth`` hops from the local node ``topic``, one Tree per length.

    Before each further hop, only the ``width`` best relation paths stay, with at most ``fan`` end nodes each (least
    class id first) and ``frontier`` in all. ``limit`` bounds the rows of one expansion. Paths are simple.

    Args:
        avoid: Local nodes that no path may pass (int32).
        toward: Local nodes (int32) at which paths of ``depth`` hops must end; shorter ones may end anywhere.
        lead: What a relation path is worth as the beginning of a longer one, by default its score.
        begun: The shorter trees, if the same search found them.
        worth: Like ``lead``, for all relation paths of a tree.
        every: Whether each way to an end goes on, not only two of them.
    """
    blocked = np.zeros(len(graph), np.bool_)
    if avoid is not None:
        blocked[avoid] = True
    blocked[topic] = True
    trees = list(begun[:depth]) or [_first(graph, topic, score, blocked)]
    for hops in range(trees[-1].depth + 1, depth + 1):
        ends = toward if hops == depth else None
        last = trees[-1] if lead is None else replace(trees[-1], score=lead(trees[-1].codes))
        last = last if worth is None else replace(last, score=worth(last))
        rows = _ways(last, width, frontier) if every else _seeds(graph, last, width, fan, frontier)
        tree = _grow(graph, last, rows, score, limit, blocked, ends)
        if not len(tree):
            break
        trees.append(tree)
    return trees


def _first(graph: HopGraph, topic: int, score: Scorer, blocked: npt.NDArray[np.bool_]) -> Tree:
    first = graph.around(topic)
    first = first.take(~blocked[first.end])
    codes, path = _relations(first.code, graph.base)
    return Tree(topic, codes[:, None], score(codes[:, None]), path, first)


def _grow(
    graph: HopGraph,
    tree: Tree,
    rows: Rows,
    score: Scorer,
    limit: int,
    blocked: npt.NDArray[np.bool_],
    toward: Index | None,
) -> Tree:
    before = tree.nodes(rows)
    steps = graph.walk(before[:, -1], limit=limit, shut=blocked, passed=before, toward=toward)
    relation_codes, local = _relations(steps.code, graph.base)
    grown, parent = np.unique(tree.path[rows], return_inverse=True)
    pairs, path = _distinct(parent[steps.walker] * len(relation_codes) + local, len(grown) * len(relation_codes))
    first, last = np.divmod(pairs, max(len(relation_codes), 1))
    codes = np.hstack([tree.codes[grown[first]], relation_codes[last][:, None]])
    return Tree(tree.topic, codes, score(codes), path, steps, tree, rows)


def _relations(codes: Codes, base: int) -> tuple[Codes, Ids]:
    """Return the distinct hop codes, ascending, and the place of each hop among them.

    The legs are compared one by one, because a composite code is a large number.
    """
    (ins, first), (outs, last) = (_distinct(leg, base + 1) for leg in np.divmod(codes, base))
    pairs, place = _distinct(first * len(outs) + last, len(ins) * len(outs))
    one, other = np.divmod(pairs, max(len(outs), 1))
    return ins[one] * base + outs[other], place


def _distinct(values: Ids, size: int) -> tuple[Ids, Ids]:
    """Return the distinct values in [0, size), ascending, and each one's place; counted if dense, else sorted."""
    if size > 32 * len(values) + 1_024:
        found, place = np.unique(values, return_inverse=True)
        return found, place
    there = np.zeros(size, np.bool_)
    there[values] = True
    found = np.flatnonzero(there)
    places = np.empty(size, np.int64)
    places[found] = np.arange(len(found))
    return found, places[values]


def _ways(tree: Tree, width: int, frontier: int) -> Rows:
    """Return the instances to grow from: all of the best relation paths, best first, at most ``frontier``."""
    place = np.full(len(tree), len(tree), np.int64)
    best = np.lexsort((np.arange(len(tree)), -tree.score))[:width]
    place[best] = np.arange(len(best))
    order = np.argsort(place[tree.path], kind="stable")
    return order[: min(frontier, int((place[tree.path] < len(tree)).sum()))]


def _seeds(graph: HopGraph, tree: Tree, width: int, fan: int, frontier: int) -> Rows:
    """Return the instances from which the search grows: those of the best paths with the least end ids.

    Each end of a path comes once, or twice with different predecessors, so that no simple path of three hops is lost.
    """
    best = np.lexsort((np.arange(len(tree)), -tree.score))[:width]
    place = np.full(len(tree), len(tree), np.int64)
    place[best] = np.arange(len(best))
    rows = np.flatnonzero(place[tree.path] < len(tree))
    end, before = (graph.nodes[n] for n in tree.nodes(rows)[:, :-3:-1].T)  # in the order of class ids
    order = np.lexsort((before, place[tree.path[rows]] << 32 | end))
    rows, end, before = rows[order], end[order], before[order]
    group = place[tree.path[rows]]
    run: Ids = np.cumsum(_starts(group, end, before))
    if len(twice := np.flatnonzero(np.bincount(run)[run] > 1)):  # only of equal ones must it be known which is first
        rows[twice] = rows[twice][tree.last.order(rows[twice], run[twice])]
    first = _starts(group, end)
    pair = np.cumsum(first) - 1
    other = np.roll(first, -1) & (before != before[first][pair])
    nth = pair - np.maximum.accumulate(np.where(_starts(group), pair, 0))
    keep = (first | other) & (nth < fan)
    selected: Rows = rows[keep][np.cumsum(first[keep]) <= frontier]
    return selected


def _starts(*columns: Ids) -> npt.NDArray[np.bool_]:
    """Return where a run of equal rows begins in sorted columns of equal length, bool (k,)."""
    new = np.ones(len(columns[0]), np.bool_)
    new[1:] = np.any([c[1:] != c[:-1] for c in columns], axis=0)
    return new


def near(graph: HopGraph, node: int, *, score: Scorer | None = None) -> Floats:
    """Return the score of the best hop (or 0) to each node one hop away, float32 (n,), and -inf for the others."""
    out = np.full(len(graph), -np.inf, np.float32)
    steps = graph.around(node)
    codes, inverse = np.unique(steps.code, return_inverse=True)
    found = score(codes[:, None])[inverse] if score is not None and len(codes) else np.zeros(len(steps), np.float32)
    np.maximum.at(out, steps.end, found)
    through = steps.via >= 0
    np.maximum.at(out, steps.via[through], found[through])
    out[node] = -np.inf
    return out
