"""Make the outcome of a plan, the query that a path answers, and the outcome after a model failed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from hydra_kg.domain import Analysis, Exploration, Judgement, Mention, Path
from hydra_kg.phrases import phrase
from hydra_kg.plan.model import Either, Named, Related, Root, TextPassage, Things
from hydra_kg.steps.answering.results import NOTHING, Conclusion
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.results.executed_plan import Executed
from hydra_kg.strategies.base import Outcome

UNJUDGED = "the language model failed, and this strategy needs one"


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
        repeated=done.repeated,
    )


_MOST: Final = 4
"""Most different chains of one answer that are translated."""


def path_query(end: Conclusion) -> Root | None:
    """Return the query for the paths of an answer, or None for a value that was computed along paths.

    A hop that only a sentence states is a ``TextPassage``. Answers of several relations are an ``Either`` of chains.
    """
    if end.computation:
        return None
    found = [_chain(e.path) for e in end.evidence if e.answers and e.path.hops]
    chains = tuple(dict.fromkeys(found))[:_MOST]
    return Either(chains) if len(chains) > 1 else chains[0] if chains else None


def _chain(path: Path) -> Things:
    start = path.hops[0].subject
    things: Things = Named(start.name, start.id)
    for hop in path.hops:
        relation = phrase(hop.predicate, hop.text)
        if path.passage is not None and not hop.facts:
            things = TextPassage(things, relation)
        else:
            said = f"what _ {relation}"
            things = Related(things, said, said=said)
    return things


def is_unjudged(outcome: Outcome, *, failed: bool) -> bool:
    """Return True if a model failed and the outcome was judged neither by it nor without any model."""
    return failed and not outcome.judgement.by_model and not outcome.without_model


def offline_outcome(outcome: Outcome, run: Callable[[], Outcome], *, needs_model: bool) -> Outcome:
    """Return the outcome of ``run``, which uses no model. Strategies that need a model have no answer."""
    if needs_model:
        unjudged = Judgement(False, 0.0, UNJUDGED)
        return replace(outcome, conclusion=NOTHING, judgement=unjudged, without_model=True)
    return replace(outcome.offline or run(), without_model=True)
