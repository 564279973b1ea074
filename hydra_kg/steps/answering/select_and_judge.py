"""An attempt to answer (HydraRAG §4.3 step 3, §4.4): select among the candidates, refine, judge, conclude."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hydra_kg.domain import Analysis, Ids, Picked, SearchState
from hydra_kg.steps.answering.candidates import PathCandidate, RelationCandidate
from hydra_kg.steps.answering.conclude import conclude
from hydra_kg.steps.answering.results import NOTHING, Attempt
from hydra_kg.steps.context import Context
from hydra_kg.steps.progress_events import tell_judged


def attempt(
    context: Context,
    analysis: Analysis,
    pool: Sequence[PathCandidate],
    *,
    phase: str,
    state: SearchState,
    last: bool = False,
    more: bool = False,
    selected: Sequence[Picked] | None = None,
) -> Attempt:
    """Select W_max candidates, refine, judge and conclude.

    Args:
        state: The state of the search.
        selected: Skip the selection.
        last: The agent may add its own knowledge. Paths come by cross-score (Algorithm 3 line 27 selects again under
            ``summarise``).
        more: Another attempt follows.
    """
    agent, settings = context.agent, context.settings
    with context.phase("select"):
        if selected is not None:
            picked = tuple(selected)
        elif last and agent.reads and not settings.agent.summarise:
            picked = tuple(Picked(i, c.evidence.scores.cross) for i, c in enumerate(pool[: settings.pruning.w_max]))
        else:
            picked = agent.select_paths(analysis, [c.evidence for c in pool], most=settings.pruning.w_max, state=state)
    chosen = [_with_score(pool[p.place], p.score) for p in picked]
    if context.observers.watch is not None:
        context.observers.watch("selected", _ends(chosen))
    rest = [c for i, c in enumerate(pool) if i not in {p.place for p in picked}]
    evidence = [c.evidence for c in chosen]
    if last and chosen:  # of several explorations: the state is that of the last one
        state = replace(state, competition=chosen[0].competition or state.competition)
    refined = ""
    if settings.agent.refine == "call" and chosen:
        with context.phase("refine"):
            refined = agent.refine(analysis, evidence)
    with context.phase("judge"):
        judge = agent.answer if last else agent.judge
        judgement = judge(analysis, evidence, refined=refined, state=state)
    tell_judged(context, evidence, judgement)
    if more and not judgement.sufficient:
        return Attempt(NOTHING, judgement, tuple(evidence))
    with context.phase("answer"):
        conclusion = conclude(context, analysis, chosen, judgement, phase=phase, rest=rest)
    return Attempt(conclusion, judgement, tuple(evidence))


def _ends(chosen: Sequence[PathCandidate]) -> Ids:
    """Return the ids of all classes that the selected paths lead to, int64."""
    ids = [n.id for c in chosen for n in c.evidence.answers]
    for c in chosen:
        if isinstance(c, RelationCandidate):
            ids += c.of.found.hops.ids[c.judged.relation.ends].tolist()
    return np.unique(np.array(ids, np.int64))


def _with_score(candidate: PathCandidate, score: float) -> PathCandidate:
    evidence = candidate.evidence
    return replace(candidate, evidence=replace(evidence, scores=replace(evidence.scores, llm=score), reason="selected"))
