"""Joint paths as relation paths with an answer on them, searched and scored level by level (HydraRAG §4.2.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Floats, Ids, Index, LoadInfo, Subgraph
from hydra_kg.settings import Settings
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.cut_hops import HopGraph
from hydra_kg.steps.graph.graph_reduction import Reduction, entities_of, reduced
from hydra_kg.steps.relevance.path_relevance import Relevance, unit
from hydra_kg.steps.retrieval.joint_paths import Chains, in_fact_order, reversed_codes, through_all
from hydra_kg.steps.retrieval.path_search import FRONTIER, Tree
from hydra_kg.steps.retrieval.topic_constraint import RelationPath
from hydra_kg.util.fast_dataclass import dataclass, field, replace

Bits = npt.NDArray[np.uint64]
"""Sets of voices, one bit each."""


@dataclass(frozen=True, slots=True)
class JointSearch:
    """The relation paths of a joint search, the number scored, and the graph sizes before and after reduction."""

    paths: tuple[RelationPath, ...] = ()
    explored: int = 0
    counts: dict[str, int] = field(default_factory=dict)


def joint_search(
    context: Context,
    hops: HopGraph,
    order: Sequence[int],
    relevance: Relevance,
    *,
    depth: int,
    window: bool,
    answer: int | None = None,
    barred: Index | None = None,
) -> JointSearch:
    """Search the paths that lead through all nodes of ``order``.

    Args:
        depth: The largest number of hops of a leg.
        window: Whether only paths of more than |topics| · (``depth`` − 1) hops are returned.
        answer: The place of the answer's node in ``order``, None for the middle between two topics.
        barred: Nodes that may not be answers.
    """
    settings = context.settings
    topics = len(order) - (answer is not None)
    small = reduced(hops, order, longest=min(2 * depth, topics * depth))
    graph = HopGraph(small.graph, predicates=hops.base // 2, hops=settings.retrieval.hops)
    crossed = settings.retrieval.level_score == "cross"
    worth = LevelScore(relevance, small.graph, context.snapshot.manifest(), settings) if crossed else None
    chains = through_all(
        graph,
        order,
        depth=depth,
        most=topics * depth,
        least=topics * (depth - 1) if window else 0,
        score=relevance,
        worth=worth,
        width=settings.retrieval.beam,
        frontier=FRONTIER,
    )
    found: list[RelationPath] = []
    for c in chains:
        whole = replace(c, edges=np.where(c.edges >= 0, small.rows[c.edges], -1))
        found += _relation_paths(context, hops, in_fact_order(whole, hops), order, relevance, answer, barred)
    return JointSearch(tuple(found), sum(len(c.codes) for c in chains), sizes(context, hops, small))


def sizes(context: Context, hops: HopGraph, small: Reduction | None = None) -> dict[str, int]:
    """Return sizes before fusion, after it and after reduction (HydraRAG Table 7, PoG Table 4).

    Without ``small`` nothing was reduced, because nothing lies between one topic and itself: there are no such sizes.
    """
    cut = hops.graph
    names = [", ".join(s.name for s in load.sources) or load.name for load in context.snapshot.manifest()]
    counts = {} if small is None else {"reduced_nodes": small.nodes, "reduced_edges": len(small.graph)}
    for suffix, part in (("", cut), *(() if small is None else ((", reduced", small.graph),))):
        counts |= {f"entities of {names[n]}{suffix}": many for n, many in entities_of(hops, part).items()}
    return counts


def _relation_paths(
    context: Context,
    hops: HopGraph,
    chains: Chains,
    order: Sequence[int],
    relevance: Relevance,
    answer: int | None,
    barred: Index | None,
) -> Iterable[RelationPath]:
    """Return the W_1 best relation paths of some chains of one length, each with one place for its answers."""
    places = _places(chains, order, answer)
    if context.settings.retrieval.joint == "also" and len(order) == 2:  # nearer ones the other search finds
        places = [p for p in places if 1 < p < chains.hops - 1]
    if not len(chains.path) or not places:
        return
    best = _best_place(chains, relevance, places, hops.base)
    score = chains.score if context.settings.retrieval.joint == "only" else _touching(context, chains, best, relevance)
    tree, shut = chains.tree(), frozenset(() if barred is None else barred.tolist())
    trees = {place: _prefix(tree, place) for place in set(best)}
    for k in np.lexsort((np.arange(len(score)), -score))[: context.settings.pruning.w1].tolist():
        own = trees[best[k]]
        rows = np.flatnonzero(chains.path == k)
        rows = rows[[e not in shut for e in own.ends[rows].tolist()]]
        if not len(rows):
            continue
        ends = np.unique(own.ends[rows])
        ends = ends[np.argsort(hops.ids[ends], kind="stable")]
        others = tuple(t for t in order if t not in (own.topic, answer))
        yield RelationPath(own, k, float(score[k]), rows, ends, others, tree)


def _places(chains: Chains, order: Sequence[int], answer: int | None) -> list[int]:
    """Return the places on a path where the answer may be."""
    if answer is not None:
        place = chains.stops[order.index(answer)]
        return [place] if place else []
    return [p for p in range(1, chains.hops) if p not in chains.stops]


def _best_place(chains: Chains, relevance: Relevance, places: Sequence[int], base: int) -> list[int]:
    """Return the place of each path's answers: in the middle between two topics, where both ways fit best."""
    off = [abs(2 * p - a - b) for p in places for a, b in [_around(chains.stops, p)]]
    middle = [p for p, far in zip(places, off, strict=True) if far == min(off)]
    if len(middle) == 1:
        return middle * len(chains.codes)
    turned = reversed_codes(chains.codes[:, ::-1], base)
    said = [relevance(chains.codes[:, :p]) + relevance(turned[:, : chains.hops - p]) for p in middle]
    return [middle[i] for i in np.round(np.stack(said), 5).argmax(axis=0).tolist()]


def _around(stops: Sequence[int], place: int) -> tuple[int, int]:
    """Return the topics on either side of a place; the place of a topic is between that topic and itself."""
    return max(s for s in stops if s <= place), min(s for s in stops if s >= place)


def _touching(context: Context, chains: Chains, best: Sequence[int], relevance: Relevance) -> Floats:
    """Return the scores that a search from one topic gives to paths that touch the others, float32 (s,).

    Here, the others are farther away.
    """
    weights, turned = context.settings.relevance, reversed_codes(chains.codes[:, ::-1], context.space.base)
    score = np.zeros(len(best), np.float32)
    for place in set(best):
        rows = np.flatnonzero(np.array(best) == place)
        score[rows] = relevance(chains.codes[rows, :place])
        score[rows] += weights.touch_weight * relevance(turned[rows, : chains.hops - place])
    return score + np.float32(weights.topic_bonus * (len(chains.stops) - 1))


def _prefix(tree: Tree, hops: int) -> Tree:
    while tree.depth > hops and tree.before is not None:
        tree = tree.before
    return tree


class LevelScore:
    """Cross-scores of a tree's relation paths (§4.3) for use during the search.

    The score is α_cross · s_rel + (1 − α_cross) · (f1 + f2 + f3) / 3. f1 is ρ of the weakest hop. f2 counts the voices
    that state every hop, among paths of cosine ≥ γ (of the 4 · W_1 most relevant). f3 is 1.
    """

    def __init__(self, relevance: Relevance, cut: Subgraph, loads: Sequence[LoadInfo], settings: Settings) -> None:
        self._relevance, self._cut, self._settings = relevance, cut, settings
        by_kind = settings.verification.independence == "kind"
        origins = [{s.kind if by_kind else s.group for s in load.sources if s.rho > 0} for load in loads]
        number = {v: n for n, v in enumerate(sorted(set().union(*origins)))}
        self._rho = np.array([max((s.rho for s in load.sources), default=0.0) for load in loads], np.float32)
        self._bits = np.array([sum(1 << (number[v] % 64) for v in own) for own in origins], np.uint64)

    def __call__(self, tree: Tree) -> Floats:
        """Return the cross-score of each relation path of a tree, float32 (s,)."""
        settings, alpha = self._settings, self._settings.verification.alpha_cross
        rho, bits = self._behind(tree, np.arange(len(tree.path)))
        weakest = np.zeros(len(tree), np.float32)
        np.maximum.at(weakest, tree.path, rho)
        own = np.zeros(len(tree), np.uint64)
        np.bitwise_or.at(own, tree.path, bits)
        most = settings.pruning.w_max
        support = np.minimum(np.bitwise_count(self._supported(tree, own)), most) / most
        relevant = np.array([unit(s, settings) for s in tree.score.tolist()], np.float32)
        return np.asarray(alpha * relevant + (1 - alpha) * (weakest + support + 1) / 3, np.float32)

    def _behind(self, tree: Tree, rows: Ids) -> tuple[Floats, Bits]:
        """Return the least ρ of the hops of each instance, and the voices that state all of them."""
        rho, bits = np.ones(len(rows), np.float32), np.full(len(rows), np.uint64(2**64 - 1))
        for hop, at in tree.steps(rows):
            for edge in hop.edges(at).T:
                there = edge >= 0
                load = self._cut.segment[edge[there]]
                rho[there] = np.minimum(rho[there], self._rho[load])
                bits[there] &= self._bits[load]
        return rho, bits

    def _supported(self, tree: Tree, own: Bits) -> Bits:
        """Return the voices of each relation path, together with those of similar paths."""
        best = np.argsort(-tree.score, kind="stable")[: 4 * self._settings.pruning.w1]
        vectors = self._relevance.vectors(tree.codes[best])
        like = vectors @ vectors.T >= self._settings.verification.gamma
        found = own.copy()
        found[best] |= np.bitwise_or.reduce(np.where(like, own[best], np.uint64(0)), axis=1)
        return found
