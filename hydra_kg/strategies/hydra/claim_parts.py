"""Judgement of a claim with several parts: true if every part is stated, false if one part is contradicted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce

from hydra_kg.domain import Evidence, Judgement, Mention
from hydra_kg.extract.claim_parts import claim_parts
from hydra_kg.plan.model import Step
from hydra_kg.questions.decision import can_be_given, check_outcome
from hydra_kg.steps.answering.count_and_boolean import Truth, truth
from hydra_kg.steps.answering.results import NOTHING, Conclusion
from hydra_kg.steps.context import Context, Observers
from hydra_kg.steps.exploration.analyse import analysed
from hydra_kg.steps.graph.question_graph import QuestionGraph
from hydra_kg.strategies.base import Outcome

OPERATOR = "part"
"""The operator of the steps that report what was found about each part."""

_SHOWN = {"true": "stated", "false": "contradicted", "unknown": "not found"}
_Part = tuple[str, Truth, Outcome]


def judge_claim_parts(context: Context, ask: Callable[[Context], Outcome]) -> Outcome:
    """Return the outcome of ``ask``, called for each part separately if the question is a claim with several parts."""
    chosen = any(not topic.text for topic in context.topics)
    if context.agent.reads or chosen:
        return ask(context)
    mentions, analysis = analysed(replace(context, observers=Observers()))
    names = [(m.start, m.end) for m in mentions if m.start >= 0]
    texts = claim_parts(context.question, names) if analysis.answer_type == "claim" else ()
    if not texts:
        return ask(context)
    parts = [_judge_part(context, text, ask) for text in texts]
    steps = tuple(
        Step(OPERATOR, f"“{text.rstrip('.')}”: {_SHOWN[found]}", 1, int(found == "true")) for text, found, _ in parts
    )
    conclusion, judgement = _combine_parts(parts)
    return Outcome(
        _all_mentions(context.question, mentions, parts),
        replace(analysis, plan=None),
        conclusion,
        judgement,
        tuple(x for _, _, outcome in parts for x in outcome.explorations),
        planned=True,
        steps=steps,
    )


def _judge_part(context: Context, text: str, ask: Callable[[Context], Outcome]) -> _Part:
    """Return a part with its truth value and outcome, asked on a question graph of its own."""
    graph = QuestionGraph(context.stored, context.space.question())
    topics = [t for t in context.topics if t.text in text]
    own = replace(context, question=text, graph=graph, topics=topics)
    outcome = check_outcome(own, ask(own))
    answers = outcome.conclusion.answers if can_be_given(outcome) else ()
    return text, truth(outcome.analysis, answers) or "unknown", outcome


def _combine_parts(parts: Sequence[_Part]) -> tuple[Conclusion, Judgement]:
    """Return the combined conclusion of the parts, with the lowest confidence of the parts that decide."""
    denied = [outcome for _, found, outcome in parts if found == "false"]
    unknown = [text.rstrip(".") for text, found, _ in parts if found == "unknown"]
    if denied:
        return denied[0].conclusion, denied[0].judgement
    if unknown:
        listed = " and ".join(f"“{text}”" for text in unknown)
        return NOTHING, Judgement(False, 0.0, f"these sources do not state {listed}")
    outcomes = [outcome for _, _, outcome in parts]
    weakest = min(outcomes, key=lambda o: (not o.conclusion.opposing, len(o.conclusion.supporting)))
    evidence: tuple[Evidence, ...] = tuple(e for o in outcomes for e in o.conclusion.evidence)
    kinds = reduce(frozenset.union, (o.conclusion.kinds for o in outcomes))
    words = "; ".join(o.conclusion.computation for o in outcomes if o.conclusion.computation)
    conclusion = replace(weakest.conclusion, evidence=evidence, kinds=kinds, computation=words)
    return conclusion, Judgement(True, min(o.judgement.confidence for o in outcomes), "")


def _all_mentions(claim: str, mentions: Sequence[Mention], parts: Sequence[_Part]) -> tuple[Mention, ...]:
    """Return the mentions of the claim, each with the entity that the parts linked it to."""
    meant = {m.text: m for _, _, outcome in parts for m in outcome.mentions if m.chosen is not None}
    return tuple(replace(meant[m.text], start=m.start, end=m.end) if m.text in meant else m for m in mentions)
