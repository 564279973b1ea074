"""Where the graph has no answer, pages that are stored are read for one."""

from __future__ import annotations

from dataclasses import replace

from hydra_kg.domain import Exploration
from hydra_kg.steps.context import Context
from hydra_kg.steps.reading.read import PHASE, read_pages
from hydra_kg.strategies.base import Outcome


def else_read(context: Context, outcome: Outcome) -> Outcome:
    """The outcome, or what a sentence says where the agent found nothing sufficient. Who has a model reads for
    himself."""
    if outcome.judgement.sufficient or context.agent.reads or not context.settings.answering.read:
        return outcome
    if "wiki" not in context.kinds:
        return outcome
    with context.phase(PHASE):
        found = read_pages(context, outcome.analysis, outcome.mentions)
    if found is None:
        return outcome
    nodes = context.entities(outcome.analysis.topics)
    topics = tuple(nodes[t].node for t in dict.fromkeys(outcome.analysis.topics))
    counts = {"pages": found.pages, "sentences": found.sentences}
    evidence = found.conclusion.evidence
    exploration = Exploration(PHASE, topics, outcome.analysis.indicator, 1, counts, evidence)
    return replace(
        outcome,
        conclusion=found.conclusion,
        judgement=found.judgement,
        explorations=(*outcome.explorations, exploration),
        read=True,
        unchecked=(),
    )
