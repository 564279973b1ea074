"""Subgraph detection (HydraRAG §4.2.1): all edges around the topics, level by level, within a budget."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from hydra_kg.domain import Floats, Hops, Ids, Index, Subgraph
from hydra_kg.stores.common.cut_arguments import predicate_order
from hydra_kg.stores.embedded.reads.edge_budget import EdgeRun, Level
from hydra_kg.stores.embedded.reads.snapshot_graph import GraphView, States, distinct
from hydra_kg.util import cancelling
from hydra_kg.util.number_columns import put_at, take_rows

UNSEEN, WAITING, CAPPED, NOW, DONE = range(5)
"""States of a class: not reached; reached; reached hub, never expanded; being expanded; expanded. Each edge is taken
once, where its first end is expanded (the *near* end; the subject's if both are at once)."""

SMALL: Final = 64
"""If a cut is this many times smaller than the graph, it numbers its own classes, so that its arrays are small too."""


def cut(
    view: GraphView,
    topics: Ids,
    *,
    depth: int,
    predicates: int,
    hops: Hops = "entity",
    rank: Floats | None = None,
    budget: int = 0,
    hub_cap: int = 0,
) -> Subgraph:
    """See :meth:`hydra_kg.ports.Snapshot.cut`. ``dropped`` counts only the level in which the budget ran out."""
    order = predicate_order(rank, predicates=predicates, depth=depth)
    found = view.classes_of(topics)
    front = start = distinct(found[found >= 0], len(view.classes))
    reached: list[tuple[int, Index]] = [(0, start)]
    levels: list[list[EdgeRun]] = []
    left, dropped, skipped = budget if budget > 0 else None, 0, 0
    with view.scratch() as state:
        state[front] = WAITING
        for d in range(depth):
            level = Level(order, left)
            following = []
            while len(front):
                if left == 0 and level.total:
                    break  # already known that something is left out: how much is not worth the walk
                put_at(state, front, NOW)
                new = _expand(view, front, state, level)
                put_at(state, front, DONE)
                inner = view.mediator[new] if hops == "entity" else np.zeros(len(new), np.bool_)
                if hub_cap > 0:
                    hub = view.degree[new] > hub_cap
                    state[new[hub]] = CAPPED
                    reached.append((d + 1, new[hub]))
                    # At the rim only a mediator would have been expanded, still in this hop.
                    skipped += int(hub.sum() if d + 1 < depth else (hub & inner).sum())
                    new, inner = new[~hub], inner[~hub]
                reached.append((d + 1, new))
                following.append(new[~inner])
                front = new[inner]
            level.shrink()
            levels.append(level.runs)
            dropped += level.total - sum(len(run.far) for run in level.runs)
            if dropped:
                break
            if left is not None:
                left -= level.total
            if following and d + 1 < depth:  # nobody goes on from the rim
                front = distinct(np.concatenate(following), len(state))
        for _, nodes in reached:
            put_at(state, nodes, UNSEEN)
        if dropped:
            for end in (end for runs in levels for run in runs for end in (run.near, run.far)):
                put_at(state, end, DONE)
            state[start] = DONE
            inside = [(d, nodes[state[nodes] == DONE]) for d, nodes in reached]
            for _, nodes in reached:
                put_at(state, nodes, UNSEEN)
            reached = inside
    return _assemble(view, start, reached, levels, dropped, skipped)


def _expand(view: GraphView, front: Index, state: States, level: Level) -> Index:
    """Add all new edges of ``front`` to ``level``. Return the classes reached for the first time."""
    found = []
    for part in view.chunks(front):
        fresh = []
        for load in view.linked:
            cancelling.check()
            for forward, (pos, near, far) in zip((True, False), load.around(part), strict=True):
                seen = take_rows(state, far)
                fresh.append(far[np.flatnonzero(seen == UNSEEN)])
                keep = np.flatnonzero(seen < (DONE if forward else NOW))
                if len(keep) < len(far):
                    pos, near, far = pos[keep], near[keep], far[keep]
                pred, segment, row = load.columns(pos, forward=forward)
                level.add(EdgeRun(forward, segment, near, far, pred, row))
        found.append(distinct(np.concatenate(fresh), len(state)) if fresh else part[:0])
        put_at(state, found[-1], WAITING)
        if level.limit == 0 and level.total:
            break
    return distinct(np.concatenate(found), len(state)) if len(found) > 1 else found[0]


def _assemble(
    view: GraphView,
    topics: Index,
    reached: list[tuple[int, Index]],
    levels: list[list[EdgeRun]],
    dropped: int,
    skipped: int,
) -> Subgraph:
    """Return the subgraph of the classes that were reached."""
    runs = [(d, run) for d, runs in enumerate(levels) for run in runs if len(run.far)]
    sizes = [len(run.far) for _, run in runs]

    def column(parts: list[npt.NDArray[np.int32]]) -> Index:
        return np.concatenate(parts) if parts else np.empty(0, np.int32)

    by_depth = [
        (d, distinct(np.concatenate([nodes for at, nodes in reached if at == d]), len(view.classes)))
        for d in sorted({at for at, _ in reached})
    ]
    whole = Subgraph(
        ids=view.classes,
        mediator=view.mediator,
        degree=view.degree,
        nodes=column([nodes for _, nodes in by_depth]),
        depth=np.repeat(np.array([d for d, _ in by_depth], np.int8), [len(nodes) for _, nodes in by_depth]),
        src=column([run.near if run.forward else run.far for _, run in runs]),
        dst=column([run.far if run.forward else run.near for _, run in runs]),
        pred=column([run.pred for _, run in runs]),
        segment=np.concatenate([run.segment for _, run in runs]) if runs else np.empty(0, np.int16),
        row=np.concatenate([run.row for _, run in runs]) if runs else np.empty(0, np.int64),
        level=np.repeat(np.array([d for d, _ in runs], np.int8), sizes),
        topics=topics,
        truncated=dropped > 0,
        dropped=dropped,
        skipped_hubs=skipped,
    )
    return _drop_unreached(whole) if SMALL * (len(whole.nodes) + 2 * len(whole)) < len(whole.ids) else whole


def _drop_unreached(cut: Subgraph) -> Subgraph:
    """Return the same cut with only the ids of the classes that it reached."""
    reached = np.sort(cut.nodes)

    def places(classes: Index) -> Index:
        return np.searchsorted(reached, classes).astype(np.int32)

    return replace(
        cut,
        ids=take_rows(cut.ids, reached),
        mediator=take_rows(cut.mediator, reached),
        degree=take_rows(cut.degree, reached),
        nodes=places(cut.nodes),
        src=places(cut.src),
        dst=places(cut.dst),
        topics=places(cut.topics),
    )
