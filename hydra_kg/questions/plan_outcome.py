"""Make the outcome of an executed plan or query."""

from __future__ import annotations

from collections.abc import Mapping

from hydra_kg.domain import Analysis, Exploration, Judgement, Mention
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.results.executed import Executed
from hydra_kg.strategies.base import Outcome


def plan_outcome(
    context: Context,
    mentions: tuple[Mention, ...],
    analysis: Analysis,
    done: Executed,
    *,
    phase: str,
    counts: Mapping[str, int],
) -> Outcome:
    """Return the outcome with one exploration, named `phase`, that shows the evidence.

    It is sufficient if it has answers.
    """
    nodes = context.entities(analysis.topics)
    topics = tuple(nodes[t].node for t in dict.fromkeys(analysis.topics))
    found = bool(done.conclusion.answers)
    return Outcome(
        mentions,
        analysis,
        done.conclusion,
        Judgement(found, done.confidence, "" if found else done.reason),
        (Exploration(phase, topics, analysis.indicator, 1, counts, done.conclusion.evidence),),
        planned=True,
        steps=done.steps,
        query=done.query,
        unchecked=done.unmet,
        in_doubt=done.in_doubt,
    )
