"""An attempt to answer (HydraRAG §4.3 step 3, §4.4): select among the candidates, refine, judge, conclude."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from hydra_kg.domain import UNSEARCHED, Analysis, Evidence, Exploration, Ids, Judgement, Picked, SearchState
from hydra_kg.steps.answering.candidates import Leading, OwnCandidate, PathCandidate, RelationCandidate, alone
from hydra_kg.steps.answering.conclude import conclude
from hydra_kg.steps.answering.results import NOTHING, Attempt
from hydra_kg.steps.context import Context, tell_explored, tell_judged


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


def judge_evidence(
    context: Context,
    analysis: Analysis,
    evidence: Sequence[Evidence],
    *,
    state: SearchState = UNSEARCHED,
    last: bool = False,
    clues: str = "",
    leading: Leading = alone,
) -> Attempt:
    """Ask in one call whether the evidence is enough.

    With ``last``, the call gives the answer, and may draw on the agent's own knowledge.
    """
    with context.phase("judge"):
        judge = context.agent.answer if last else context.agent.judge
        judgement = judge(analysis, evidence, refined=clues, state=state)
    return conclude_evidence(context, analysis, evidence, judgement, leading=leading)


def conclude_evidence(
    context: Context,
    analysis: Analysis,
    evidence: Sequence[Evidence],
    judgement: Judgement,
    *,
    leading: Leading = alone,
) -> Attempt:
    """Conclude from a judgement: named answers, else the ends of the best path and similar ones, or deductions."""
    tell_judged(context, evidence, judgement)
    if context.observers.watch is not None:
        context.observers.watch("selected", _ids(evidence))
    with context.phase("answer"):
        end = conclude(context, analysis, [OwnCandidate(e, leading) for e in evidence], judgement)
    return Attempt(end, judgement, tuple(evidence))


def explored(
    context: Context,
    analysis: Analysis,
    phase: str,
    depth: int,
    counts: Mapping[str, int],
    evidence: Sequence[Evidence],
) -> Exploration:
    """Return one round as it is recorded, and report it to observers that measure."""
    if context.observers.watch is not None:
        for stage, seen in (("pool", evidence), ("kept", [e for e in evidence if e.kept])):
            context.observers.watch(stage, _ids(seen))
    nodes = context.entities(analysis.topics)
    topics = tuple(nodes[t].node for t in dict.fromkeys(analysis.topics))
    return tell_explored(context, Exploration(phase, topics, analysis.indicator, depth, counts, tuple(evidence)))


def _ids(evidence: Sequence[Evidence]) -> Ids:
    """Return the ids of the classes that the evidence leads to, int64."""
    return np.unique(np.array([n.id for e in evidence for n in e.answers], np.int64))
