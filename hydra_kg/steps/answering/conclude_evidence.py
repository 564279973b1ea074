"""Judge evidence that a strategy chose itself, and conclude: names that an agent gave, or all ends of the best path."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from hydra_kg.domain import Analysis, AnswerValue, Evidence, Exploration, Ids, Judgement, Node
from hydra_kg.steps.answering.conclude import weighed, with_keys
from hydra_kg.steps.answering.count_and_boolean import deduced
from hydra_kg.steps.answering.independent_sources import by_voices, one_voice
from hydra_kg.steps.answering.results import NOTHING, Attempt, Conclusion, supporters_of, value_of
from hydra_kg.steps.context import Context
from hydra_kg.text.folding import fold
from hydra_kg.util.recording import step

Leading = Callable[[Evidence, Sequence[Node]], Sequence[Evidence]]
"""A piece of evidence for a set as one path for each of some of its ends."""


def alone(evidence: Evidence, nodes: Sequence[Node]) -> Sequence[Evidence]:
    """Evidence for one end, which its path leads to."""
    return [replace(evidence, answers=(n,)) for n in nodes]


def settle(
    context: Context,
    analysis: Analysis,
    evidence: Sequence[Evidence],
    *,
    last: bool = False,
    clues: str = "",
    leading: Leading = alone,
) -> Attempt:
    """One call: whether the evidence is enough; ``last``: the answer, from the agent's own knowledge too."""
    with context.phase("judge"):
        judge = context.agent.answer if last else context.agent.judge
        judgement = judge(analysis, evidence, refined=clues)
    return settled(context, analysis, evidence, judgement, leading=leading)


@step("conclude")
def settled(
    context: Context,
    analysis: Analysis,
    evidence: Sequence[Evidence],
    judgement: Judgement,
    *,
    leading: Leading = alone,
) -> Attempt:
    """What follows from a judgement: the answers that it names, else the ends of the best path and of those that take
    the same relations; for a question of how many or whether, what is deduced from them."""
    if context.watch is not None:
        context.watch("selected", _ids(evidence))
    with context.phase("answer"):
        if judgement.answers:
            named = _named(context, analysis, evidence, judgement, leading)
            end = deduced(analysis, named, most=context.settings.max_answers)
        elif judgement.sufficient and evidence and evidence[0].answers and _decides(analysis, evidence[0]):
            end = deduced(analysis, _ends(context, evidence, leading), most=context.settings.max_answers)
        else:
            end = replace(NOTHING, evidence=tuple(evidence))
    return Attempt(end, judgement, tuple(evidence))


def explored(
    context: Context,
    analysis: Analysis,
    phase: str,
    depth: int,
    counts: Mapping[str, int],
    evidence: Sequence[Evidence],
) -> Exploration:
    """One round as it is kept, and as one who measures is told."""
    if context.watch is not None:
        for stage, seen in (("pool", evidence), ("kept", [e for e in evidence if e.kept])):
            context.watch(stage, _ids(seen))
    nodes = context.entities(analysis.topics)
    topics = tuple(nodes[t].node for t in dict.fromkeys(analysis.topics))
    return Exploration(phase, topics, analysis.indicator, depth, counts, tuple(evidence))


def _ids(evidence: Sequence[Evidence]) -> Ids:
    """int64: classes that the evidence leads to."""
    return np.unique(np.array([n.id for e in evidence for n in e.answers], np.int64))


def _ends(context: Context, evidence: Sequence[Evidence], each: Leading) -> Conclusion:
    first = evidence[0]
    paths: dict[int, Evidence] = {}
    for e in (e for e in evidence if e.answers and _chain(e) == _chain(first)):
        for path in each(e, [n for n in e.answers if n.id not in paths]):
            paths.setdefault(path.answers[0].id, path)
    kept, voices = one_voice(context, list(paths.values())[: context.settings.max_answers])
    if not context.agent.reads:  # who reads put them into an order
        kept = tuple(kept[p] for p in by_voices(kept, [e.scores.relevance for e in kept]))
    values = [value_of(e.answers[0], e.scores.relevance) for e in kept]
    return weighed(context, with_keys(context, values), kept, voices)


def _decides(analysis: Analysis, first: Evidence) -> bool:
    """A sentence about another thing does not make a claim wrong; only one that holds what was asked makes it right."""
    text = first.path.passage is not None and analysis.kind == "boolean"
    return not text or any(n.id in analysis.topics for n in first.answers)


def _chain(evidence: Evidence) -> tuple[object, ...]:
    """Where it starts and which relations it takes; of text, what it says."""
    hops = evidence.path.hops
    if evidence.path.passage is not None or not hops:
        return (evidence.answers[:1],)
    return (hops[0].subject.id, *(h.predicate for h in hops))


def _named(
    context: Context, analysis: Analysis, evidence: Sequence[Evidence], judgement: Judgement, each: Leading
) -> Conclusion:
    """Each name with the paths and sentences that hold it. What nothing holds rests on all evidence if the question is
    one of how many or whether, on the agent if it is its own knowledge, and else on nothing."""
    answers: dict[str, AnswerValue] = {}
    behind: list[Evidence] = []
    for name in judgement.answers:
        folded = fold(name)
        for e in evidence:
            node = next((n for n in (*e.answers, *e.path.entities) if fold(n.name) == folded), None)
            if node is not None:
                behind += each(e, [node]) if node in e.answers else [replace(e, answers=(node,))]
                answers.setdefault(folded, value_of(node, e.scores.cross))
            elif e.path.passage and f" {folded} " in f" {fold(e.path.passage.text)} ":
                behind.append(e)
                answers.setdefault(folded, AnswerValue(name))
        if folded not in answers and judgement.own_knowledge:
            answers[folded] = AnswerValue(name)
        elif folded not in answers and analysis.kind in {"count", "boolean"}:
            answers[folded] = AnswerValue(name)
            behind += [e for e in evidence if e not in behind]
    held, _ = one_voice(context, behind, beside=evidence)
    supporting, kinds = supporters_of(held)
    return Conclusion(with_keys(context, answers.values()), held, supporting, {}, kinds, ())
