"""Search of stored text for what a model wrote: passages about the names in it, then passages with its words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hydra_kg.domain import UNSEARCHED, Analysis, Evidence, Exploration, Judgement
from hydra_kg.steps.answering.select_and_judge import conclude_evidence, explored
from hydra_kg.steps.context import Context
from hydra_kg.steps.linking.entity_linking import link
from hydra_kg.steps.text.entity_contexts import read
from hydra_kg.steps.text.sentence_retrieval import Ranker, passages_of
from hydra_kg.strategies.base import Outcome


def parse_question(context: Context) -> Analysis:
    """Return the question's analysis by rules.

    A number or an ordering word inside a name ("Tru64", "The Last Emperor") does not count as a condition.
    """
    analysis = context.agent.parse(context.question, (), d_max=1)
    mentions = link(context.question, context.snapshot, candidates=1, repair=False)
    return replace(analysis, conditions=context.agent.parse(context.question, mentions, d_max=1).conditions)


def search_sentences(
    context: Context,
    analysis: Analysis,
    query: str,
    *,
    most: int,
    phase: str,
    ranker: Ranker = "dense",
    names: str = "",
) -> list[Evidence]:
    """Return the ``most`` sentences nearest to a query.

    Passages about the names in ``names``, or in the query without it, are searched as well.
    """
    if "wiki" not in context.kinds:
        return []
    with context.phase("text"):
        mentions = link(names or query, context.snapshot, candidates=1, repair=False)
        about = [m.chosen.node.id for m in mentions if m.chosen]
        passages = passages_of(context, about, query)
        return read(context, replace(analysis, question=query), passages, most=most, phase=phase, ranker=ranker)


def add_evidence(found: Sequence[Evidence], new: Iterable[Evidence], *, most: int) -> list[Evidence]:
    """Return the old evidence followed by the new, each sentence once, at most ``most``."""
    merged = {e.line: e for e in found}
    for e in new:
        merged.setdefault(e.line, e)
    return list(merged.values())[:most]


def answer_from_evidence(
    context: Context, analysis: Analysis, evidence: Sequence[Evidence], *, refined: str = ""
) -> tuple[Judgement, Sequence[Evidence]]:
    """Return the answer from some sentences, by one call, with these sentences."""
    with context.phase("judge"):
        return context.agent.answer(analysis, evidence, refined=refined, state=UNSEARCHED), evidence


def outcome(
    context: Context, analysis: Analysis, given: tuple[Judgement, Sequence[Evidence]], rounds: Sequence[Exploration]
) -> Outcome:
    """Return the outcome of an answer: the values that it names, with the sentences that it rests on."""
    judgement, evidence = given
    tried = conclude_evidence(context, analysis, evidence, judgement)
    return Outcome((), analysis, tried.conclusion, tried.judgement, tuple(rounds))


def round_of(
    context: Context, analysis: Analysis, phase: str, number: int, evidence: Sequence[Evidence], **counts: int
) -> Exploration:
    """Return the record of one round."""
    return explored(context, analysis, phase, number, {**counts, "kept": len(evidence)}, evidence)
