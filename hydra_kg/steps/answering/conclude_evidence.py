"""Judge evidence that a strategy chose itself, and conclude: names that an agent gave, or all ends of the best path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hydra_kg.domain import UNSEARCHED, Analysis, Evidence, Exploration, Ids, Judgement, SearchState
from hydra_kg.steps.answering.candidates import Leading, OwnCandidate, alone
from hydra_kg.steps.answering.conclude import conclude
from hydra_kg.steps.answering.results import Attempt
from hydra_kg.steps.context import Context
from hydra_kg.steps.progress_events import tell_explored, tell_judged


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
