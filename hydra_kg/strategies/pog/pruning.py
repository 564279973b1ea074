"""Path pruning of PoG (§4.3, Algorithm 2): fuzzy by vectors, precise by the agent, branch-reduced by heads of paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from hydra_kg.domain import Analysis, Evidence, Path, Picked, SearchState
from hydra_kg.steps.beam.frontier import line_of
from hydra_kg.steps.context import Context
from hydra_kg.util.recording import step

Case = Literal["fuzzy", "precise", "branch", "three-step"]
Head = tuple[object, ...]


@step("path_pruning")
def path_pruning(
    context: Context,
    analysis: Analysis,
    found: Sequence[Evidence],
    *,
    case: Case,
    w1: int,
    w2: int,
    d_max: int,
    state: SearchState,
) -> tuple[Picked, ...]:
    """Return at most W_max indices of ``found``, best first; ``found`` is ordered by vectors, best first.

    The cases are:

    - ``fuzzy``: the first W_max.
    - ``precise``: W_1, then the agent (§5, the default).
    - ``branch``: W_1, then branch-reduced to W_max.
    - ``three-step``: W_1, branch-reduced to W_2, then the agent.

    The setting ``agent.prompt_paths`` says how many of the paths an agent shows its model. With 20, ``precise`` sees no
    more than ``three-step`` does.
    """
    places, most = list(range(min(len(found), w1))), context.settings.pruning.w_max
    if case == "fuzzy":
        return tuple(Picked(i, found[i].scores.cross) for i in places[:most])
    if case in {"branch", "three-step"}:
        width = most if case == "branch" else w2
        places = branch_reduced(context, analysis, found, places, width=width, d_max=d_max, state=state)
    if case == "branch":
        return tuple(Picked(i, found[i].scores.cross) for i in places)
    return _select_evidence(context, analysis, found, places, most, state)


@step("branch_reduced")
def branch_reduced(
    context: Context,
    analysis: Analysis,
    found: Sequence[Evidence],
    places: Sequence[int],
    *,
    width: int,
    d_max: int,
    state: SearchState,
) -> list[int]:
    """Return the indices of paths whose heads the agent selects (Algorithm 2 lines 12–22).

    The heads have D = 1, 2, … hops, as long as at least ``width`` paths are left. The rest is selected by whole paths.
    A head is the start of a path, given by the relations that it takes from its topic: paths with the same relations
    have one head.
    """
    left, depth = list(places), 1
    while len(left) >= width and depth <= d_max:
        heads: dict[Head, Evidence] = {}
        for i in left:
            heads.setdefault(_head(found[i], depth), _cut(found[i], depth))
        if len(heads) > width:
            keys, shown = list(heads), list(heads.values())
            picked = {keys[p.place] for p in context.agent.select_paths(analysis, shown, most=width, state=state)}
            left = [i for i in left if _head(found[i], depth) in picked]
        depth += 1
    if len(left) > width:
        left = [p.place for p in _select_evidence(context, analysis, found, left, width, state)]
    return left


def _select_evidence(
    context: Context,
    analysis: Analysis,
    found: Sequence[Evidence],
    places: Sequence[int],
    most: int,
    state: SearchState,
) -> tuple[Picked, ...]:
    picked = context.agent.select_paths(analysis, [found[i] for i in places], most=most, state=state)
    return tuple(Picked(places[p.place], p.score) for p in picked)


def _head(evidence: Evidence, depth: int) -> Head:
    hops = evidence.path.hops[:depth]
    return (hops[0].subject.id, *((h.predicate, h.forward) for h in hops)) if hops else (evidence.path.text,)


def _cut(evidence: Evidence, depth: int) -> Evidence:
    path = Path(evidence.path.hops[:depth])
    if len(evidence.path.hops) <= depth:
        return evidence
    return replace(evidence, path=path, answers=(), line=line_of(path))
