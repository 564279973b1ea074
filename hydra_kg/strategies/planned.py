"""A question whose plan has operators (compare, count, first, not, …) is answered by carrying the plan out."""

from __future__ import annotations

from dataclasses import replace

from hydra_kg.domain import Analysis, Exploration, Judgement, Mention
from hydra_kg.plan.walk import operators
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators import execute
from hydra_kg.strategies.base import Outcome

PHASE = "plan"


def by_plan(context: Context, mentions: tuple[Mention, ...], analysis: Analysis) -> Outcome | None:
    """What the plan's operators give, for every strategy that concludes from the graph; None where there are none, or
    what they need is not stated with enough certainty: the strategy then explores, and what its answer does not meet
    is said (see :func:`hydra_kg.steps.coverage.unchecked`)."""
    plan = analysis.plan
    if plan is None or not context.settings.plan or not operators(plan):
        return None
    with context.phase(PHASE):
        done = execute(context, plan)
    if done is None or not (done.conclusion.answers or done.decided or plan.open):
        return None
    nodes = context.entities(analysis.topics)
    topics = tuple(nodes[t].node for t in dict.fromkeys(analysis.topics))
    found = bool(done.conclusion.answers)
    kept = Exploration(PHASE, topics, analysis.indicator, 1, {"operators": len(done.steps)}, done.conclusion.evidence)
    judgement = Judgement(found and not done.unmet, done.confidence, "" if found else done.reason)
    return Outcome(
        mentions,
        replace(analysis, plan=plan),
        done.conclusion,
        judgement,
        (kept,),
        planned=True,
        steps=done.steps,
        unchecked=done.unmet,
    )
