"""A question whose plan has operators (compare, count, first, not, …) is answered by carrying the plan out."""

from __future__ import annotations

from dataclasses import replace

from hydra_kg.domain import Analysis, Exploration, Judgement, Mention
from hydra_kg.plan.model import Among, Plan, Related
from hydra_kg.plan.walk import operators
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators import execute
from hydra_kg.steps.retrieval.entity_types import head
from hydra_kg.strategies.base import Outcome

PHASE = "plan"


def by_plan(context: Context, mentions: tuple[Mention, ...], analysis: Analysis) -> Outcome | None:
    """What the plan's operators give, for every strategy that concludes from the graph; None where there are none, or
    what they need is not stated with enough certainty: the strategy then explores, and what its answer does not meet
    is said (see :func:`hydra_kg.strategies.coverage.unchecked`)."""
    plan = analysis.plan
    if plan is None or not context.settings.answering.plan or not operators(plan):
        return None
    if context.agent.reads and isinstance(plan.root, Among):
        return None  # whether something is so it judges from paths and text
    with context.phase(PHASE):
        done = execute(context, plan)
    if done is None or not (done.conclusion.answers or done.decided or plan.open):
        return None
    if context.agent.reads and not done.conclusion.answers and not plan.open:
        return None  # who reads may find in the paths what no relation says
    nodes = context.entities(analysis.topics)
    topics = tuple(nodes[t].node for t in dict.fromkeys(analysis.topics))
    found = bool(done.conclusion.answers)
    kept = Exploration(PHASE, topics, analysis.indicator, 1, {"operators": len(done.steps)}, done.conclusion.evidence)
    judgement = Judgement(found, done.confidence, "" if found else done.reason)
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


def completed(context: Context, outcome: Outcome) -> Outcome:
    """The outcome with all that the sources together state, where a question asks for several things that stand in one
    relation to one name ("which films did _ direct"): a path is of one source, and a list may be spread over two.

    What the path leads to comes first, as far as the relation of the plan, which has the same name in every source,
    states it too. Where that means something else, and finds less than half of it, nothing changes.
    """
    plan, end = outcome.analysis.plan, outcome.conclusion
    if (
        plan is None
        or not context.settings.answering.plan
        or not _asks_for_several(plan)
        or not outcome.judgement.sufficient
    ):
        return outcome
    ours = {a.node.id for a in end.answers if a.node is not None}
    if not ours or len(ours) < len(end.answers) or outcome.analysis.wanted:
        return outcome
    with context.phase(PHASE):
        done = execute(context, plan)
    found = done.conclusion if done is not None and not done.unmet else None
    theirs = {a.node.id: a for a in found.answers if a.node is not None} if found is not None else {}
    if found is None or 2 * len(ours & theirs.keys()) < len(ours):
        return outcome
    kept = tuple(a for a in end.answers if a.node is not None and a.node.id in theirs)
    known = {a.name for a in kept}
    more = {n: a for n, a in theirs.items() if n not in ours and a.name not in known}
    answers = {a.node.id for a in (*kept, *more.values()) if a.node is not None}
    before = tuple(e for e in end.evidence if any(n.id in answers for n in e.answers))
    paths = tuple(e for e in found.evidence if any(n.id in more for n in e.answers))
    most = context.settings.answering.max_answers
    whole = replace(end, answers=(*kept, *more.values())[:most], evidence=(*before, *paths)[:most])
    return replace(outcome, conclusion=whole)


def _asks_for_several(plan: Plan) -> bool:
    root = plan.root
    last = root.noun.split()[-1:] if isinstance(root, Related) else []
    return not operators(plan) and bool(last) and head(last[0]) != last[0]
