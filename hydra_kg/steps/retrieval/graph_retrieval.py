"""Structured retrieval (HydraRAG §4.2.1, Algorithm 1): cut, collapse, search from topics, constrain by the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from hydra_kg.domain import Analysis, Index, Path, Predicates, Scores, Subgraph
from hydra_kg.steps.context import HUB_CAP, Context
from hydra_kg.steps.graph.cut_hops import HopGraph, Inside
from hydra_kg.steps.graph.question_graph import PerQuestion
from hydra_kg.steps.relevance.path_relevance import Relevance
from hydra_kg.steps.retrieval.entity_types import fitting, of_asked_kind
from hydra_kg.steps.retrieval.path_search import FRONTIER, Tree, explore, near
from hydra_kg.steps.retrieval.through_topics import JointSearch, LevelScore, joint_search, sizes
from hydra_kg.steps.retrieval.topic_constraint import RelationPath, constrain
from hydra_kg.steps.snapshots.kg_sampling import mixed
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass, field
from hydra_kg.util.recording import step

_BRIDGE: Final = 10  # times HUB_CAP where one question stands inside another, 1 or more: what is between may be a hub
_HOPS: Final = PerQuestion()
_INSIDE: Final = PerQuestion()
_TREES: Final = PerQuestion()


@dataclass(frozen=True, slots=True)
class JudgedPath:
    """A relation path after verification: one instance as a Path with facts, its origins, supporters and scores."""

    relation: RelationPath
    path: Path
    origins: frozenset[str]
    supporters: frozenset[str]
    scores: Scores


@dataclass(frozen=True, slots=True, eq=False)
class RetrievalResult:
    """The graph G_q, its hops, the W_1 best relation paths, and the same paths judged, by cross-score.

    ``explored`` is the number of paths scored. ``inside`` has the class ids of G_q. ``reduction`` has the sizes before
    and after.
    """

    graph: Subgraph
    hops: HopGraph
    paths: tuple[RelationPath, ...]
    explored: int
    depth: int
    inside: Inside
    judged: tuple[JudgedPath, ...] = ()
    reduction: Mapping[str, int] = field(default_factory=dict)


def retrieve(
    context: Context,
    analysis: Analysis,
    relevance: Relevance,
    *,
    depth: int,
    toward: Sequence[int] = (),
    window: bool = False,
) -> RetrievalResult:
    """Return the paths of at most ``depth`` hops from all topics, ending in ``toward`` if it is given.

    With ``window``, only paths longer than |Topic(q)| · (D − 1) hops are returned (§4.2.1).
    """
    settings = context.settings
    graph = _cut(context, analysis, relevance, depth)
    hops = _HOPS.get(context.graph, graph, lambda: _hops(context, graph))
    topics = list(dict.fromkeys(analysis.topics))  # two mentions may mean the same
    starts = [int(t) for t in hops.local(np.array(topics, np.int64)) if t >= 0]
    close = {t: near(hops, t, score=relevance) for t in starts} if len(starts) > 1 else {}
    targets = hops.local(np.array(toward, np.int64)) if toward else None
    barred = hops.local(np.array(sorted(analysis.namesakes), np.int64)) if analysis.namesakes else None
    paths: list[RelationPath] = []
    explored, reduction = 0, dict[str, int]()
    for found in _joint(context, hops, analysis, starts, relevance, depth, toward, window, barred):
        paths += found.paths
        explored += found.explored
        reduction |= found.counts
    if settings.retrieval.joint == "only" and not reduction:
        reduction = sizes(context, hops)
    only = settings.retrieval.joint == "only" and len(starts) > 1 and not _whether(analysis)
    for t in () if only else starts:
        trees = _trees(context, hops, t, relevance, depth, toward)
        explored += sum(map(len, trees))
        with context.step("constrain"):
            paths += constrain(
                hops,
                trees,
                topics=starts,
                near=close,
                bonus=settings.relevance.topic_bonus,
                weight=settings.relevance.touch_weight,
                keep=settings.pruning.w1,
                targets=targets,
                barred=barred,
            )
    if window and not only:
        least = len(topics) * (depth - 1)
        paths = [p for p in paths if p.hops + len(p.through) > least]
    paths.sort(key=lambda p: (-p.score, p.hops, int(hops.ids[p.tree.topic]), p.codes))
    if settings.relevance.clauses and len(topics) == 1:  # other topics constrain the paths themselves
        paths = fitting(context, hops, paths[: settings.pruning.w1], analysis, relevance)
    paths = of_asked_kind(context, hops, paths[: settings.pruning.w1], analysis)
    inside = _INSIDE.get(context.graph, hops, lambda: Inside(hops))
    best = tuple(paths[: settings.pruning.w1])
    return RetrievalResult(hops.graph, hops, best, explored, depth, inside, reduction=reduction)


def _cut(context: Context, analysis: Analysis, relevance: Relevance, depth: int) -> Subgraph:
    """Return the graph around the topics."""
    settings = context.settings.retrieval
    bridged = relevance.chain is not None and depth == 2  # of two hops it is the last that is expanded
    with context.step("cut"):
        return context.snapshot.cut(
            analysis.topics,
            depth=depth,
            hops=settings.hops,
            rank=relevance.rank(),
            budget=settings.edge_budget,
            hub_cap=HUB_CAP * (_BRIDGE if bridged else 1),
        )


def _whether(analysis: Analysis) -> bool:
    """Return True for a yes-or-no question, whose paths lead from one topic to the others."""
    return analysis.kind == "boolean"


def _joint(
    context: Context,
    hops: HopGraph,
    analysis: Analysis,
    starts: Sequence[int],
    relevance: Relevance,
    depth: int,
    toward: Sequence[int],
    window: bool,
    barred: Index | None,
) -> Sequence[JointSearch]:
    """Search between consecutive topics in skyline order, per answer in ``toward`` (List_P, §4.2.3)."""
    joint = context.settings.retrieval.joint
    if joint == "off" or len(starts) < 2 or _whether(analysis) or (joint == "also" and depth < 2):
        return ()
    with context.step("joint_paths"):
        if not toward:
            return (joint_search(context, hops, starts, relevance, depth=depth, window=window, barred=barred),)
        searches = []
        for answer in hops.local(np.array(toward, np.int64)).tolist():
            if answer >= 0 and answer not in starts:
                order = _placed(context, hops, [*starts, answer], analysis.indicator)
                how = {"depth": depth, "window": window, "answer": answer}
                searches.append(joint_search(context, hops, order, relevance, **how))
        return searches


def _placed(context: Context, hops: HopGraph, nodes: Sequence[int], indicator: str) -> list[int]:
    """Return local nodes in the order in which the indicator names them, then those that it does not name."""
    text = f" {fold(indicator)} "
    known = context.entities(hops.ids[list(nodes)].tolist())
    places = [text.find(f" {fold(known[int(hops.ids[n])].node.name)} ") for n in nodes]
    ranked = sorted(range(len(nodes)), key=lambda i: places[i] if places[i] >= 0 else len(text))
    return [nodes[i] for i in ranked]


def _hops(context: Context, graph: Subgraph) -> HopGraph:
    """Return the part of the cut that may be used, as hops."""
    graph = graph.of_loads(context.segments())
    if context.settings.retrieval.relations == "one":
        graph = one_relation(graph, context.snapshot.predicates(), context.settings.seed)
    return HopGraph(graph, predicates=context.space.base // 2, hops=context.settings.retrieval.hops)


@step("explore")
def _trees(
    context: Context, hops: HopGraph, topic: int, relevance: Relevance, depth: int, toward: Sequence[int]
) -> Sequence[Tree]:
    """Search from one topic, shared by explorations with equal hops and relevance."""
    begun = _trees(context, hops, topic, relevance, depth - 1, ()) if depth > 1 else ()
    width = context.settings.retrieval.beam
    lead = relevance.chain.lead if relevance.chain is not None else None
    ends = hops.local(np.array(toward, np.int64)) if toward else None
    ends = ends[ends >= 0] if ends is not None else None
    worth = None
    if context.settings.retrieval.level_score == "cross":
        worth = LevelScore(relevance, hops.graph, context.snapshot.manifest(), context.settings)
    return _TREES.get(
        context.graph,
        (hops, relevance, topic, depth, tuple(toward), worth is not None),
        lambda: explore(
            hops,
            topic,
            depth=depth,
            score=relevance,
            width=width,
            frontier=FRONTIER,
            toward=ends,
            lead=lead,
            begun=begun,
            worth=worth,
        ),
    )


def one_relation(graph: Subgraph, predicates: Predicates, seed: int) -> Subgraph:
    """Reduce the edges between two classes to one predicate, by the least 64-bit mix with classes and seed."""
    if not len(graph):
        return graph
    low, high = np.minimum(graph.src, graph.dst).astype(np.int64), np.maximum(graph.src, graph.dst)
    pair = low << 32 | high
    order = np.argsort(pair)
    again = np.diff(pair[order]) == 0
    several = np.append(again, False) | np.append(False, again)  # most pairs have one edge, and need no draw
    if not several.any():
        return graph
    first, rows = ~np.append(False, again)[several], order[several]
    draw = mixed(graph.ids[low[rows]], predicates.ids[graph.pred[rows]], graph.ids[high[rows]], seed=seed)
    least = np.minimum.reduceat(draw, np.flatnonzero(first))
    keep = np.ones(len(graph), np.bool_)
    keep[rows] = draw == least[np.cumsum(first) - 1]  # of one pair no two predicates mix to the same
    return graph.select(keep)
