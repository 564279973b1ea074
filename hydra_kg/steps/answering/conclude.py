"""Turn judged candidates into a conclusion: the answers that the agent named, else those of the best candidate."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from hydra_kg.domain import Analysis, AnswerValue, Evidence, Judgement, Node
from hydra_kg.steps.answering.answer_ranking import Choice, choose, specific_first
from hydra_kg.steps.answering.candidates import (
    OwnCandidate,
    PathCandidate,
    RelationCandidate,
    TextCandidate,
    ValueCandidate,
    alone,
)
from hydra_kg.steps.answering.count_and_boolean import deduced
from hydra_kg.steps.answering.disagreement import merge_copies, rank_by_votes, weighed
from hydra_kg.steps.answering.literal_paths import literal_answers
from hydra_kg.steps.answering.relation_answers import relation_answers
from hydra_kg.steps.answering.results import NOTHING, Conclusion, supporters_of, uncontested, value_of
from hydra_kg.steps.context import Context
from hydra_kg.steps.verification.prune import vectors_of
from hydra_kg.text.folding import fold
from hydra_kg.util.recording import step

Judged = PathCandidate | OwnCandidate
"""What an agent judges."""


@step("conclude")
def conclude(
    context: Context,
    analysis: Analysis,
    found: Sequence[Judged],
    judgement: Judgement,
    *,
    phase: str = "",
    rest: Sequence[PathCandidate] = (),
) -> Conclusion:
    """Conclude from judged evidence: the answers named by the agent, else those of the best candidate, or deductions.

    ``phase`` is the phase of the paths from text. ``rest`` has candidates that were not selected; their texts may
    agree.
    """
    most = context.settings.answering.max_answers
    if judgement.answers:
        return deduced(analysis, _named(context, analysis, found, judgement, phase), most=most)
    match found:
        case [TextCandidate(), *_]:
            texts = [c.evidence for c in (*found, *rest) if isinstance(c, TextCandidate)]
            return _affirmed(analysis, _from_text(texts, context.settings.pruning.w_max))
        case [ValueCandidate() as first, *_]:
            return deduced(analysis, _from_values(context, first, phase), most=most)
        case [RelationCandidate() as first, *_]:
            return deduced(analysis, _from_relations(context, analysis, first, phase), most=most)
    own = [c for c in found if isinstance(c, OwnCandidate)]
    if judgement.sufficient and own and _decides(analysis, own[0].evidence):
        return deduced(analysis, _from_own(context, own), most=most)
    return replace(NOTHING, evidence=tuple(c.evidence for c in own))


def paths_to(context: Context, candidate: Judged, nodes: Sequence[Node], *, phase: str = "") -> Sequence[Evidence]:
    """Return the paths of a candidate that lead to some nodes on it, with every fact that states a hop."""
    match candidate:
        case ValueCandidate(of=of, value=value):
            every = literal_answers(context, [value], of.found, of.relevance, phase=phase).evidence
            return [e for e in every if e.answers[0] in nodes]
        case RelationCandidate(of=of, place=place):
            reached = set(candidate.judged.relation.ends.tolist())
            local = of.found.hops.local(np.array([n.id for n in nodes], np.int64)).tolist()
            if ends := tuple((n, 1.0) for n in local if n in reached):
                return relation_answers(context, Choice((place,), ends), of.found, phase=phase).evidence
        case OwnCandidate(evidence=evidence, leading=leading) if all(n in evidence.answers for n in nodes):
            return leading(evidence, nodes)
    return alone(candidate.evidence, nodes)


def with_keys(context: Context, values: Collection[AnswerValue]) -> tuple[AnswerValue, ...]:
    """Return the answers with all keys of their classes."""
    known = context.entities([v.node.id for v in values if v.node is not None])
    return tuple(replace(v, keys=known[v.node.id].keys) if v.node is not None else v for v in values)


def _from_values(context: Context, first: ValueCandidate, phase: str) -> Conclusion:
    """Return the literals of the best literal-ended path, and of similar paths."""
    values = [first.value, *(v for v in first.of.values if v is not first.value)]
    return literal_answers(context, values, first.of.found, first.of.relevance, phase=phase)


def _from_relations(context: Context, analysis: Analysis, first: RelationCandidate, phase: str) -> Conclusion:
    """Return the ends of the best relation path, backed by similar paths."""
    of, judged = first.of, first.of.found.judged
    ordered = (first.judged, *judged[: first.place], *judged[first.place + 1 :])
    found = replace(of.found, judged=ordered)
    vectors = vectors_of(ordered, of.relevance)
    limits = context.settings.answering
    chosen = choose(ordered, vectors, most=limits.max_answers)
    choice = specific_first(context, chosen, found.hops)
    ends = choice.ends[: analysis.wanted or None]
    end = relation_answers(context, replace(choice, ends=ends), found, phase=phase)
    if len(ends) == len(choice.ends):
        return end
    return replace(end, dissent=(*end.dissent, f"the sources state more than {len(ends)}"))


def _from_text(text_evidence: Sequence[Evidence], most: int) -> Conclusion:
    """Return the answer of the best sentence, supported by other sentences that give the same answer."""
    with_answers = [e for e in text_evidence if e.answers]
    if not with_answers:
        return replace(NOTHING, evidence=tuple(text_evidence[:most]))
    answer = with_answers[0].answers[0]
    same = [replace(e, answers=(answer,)) for e in with_answers if answer in e.answers][:most]
    return uncontested([value_of(answer, with_answers[0].scores.cross)], same)


def _affirmed(analysis: Analysis, conclusion: Conclusion) -> Conclusion:
    """Return the conclusion of a sentence, checked where the question asks for yes or no.

    A yes-or-no question is answered only if some answer is one of its topics. Otherwise the answers are removed.
    """
    if analysis.kind != "boolean":
        return conclusion
    leads = any(a.node is not None and a.node.id in analysis.topics for a in conclusion.answers)
    return deduced(analysis, conclusion, most=1) if leads else replace(conclusion, answers=())


def _from_own(context: Context, found: Sequence[OwnCandidate]) -> Conclusion:
    """Return the ends of the best path and of those that take the same relations."""
    chain = _chain(found[0].evidence)
    paths: dict[int, Evidence] = {}
    for c in (c for c in found if c.evidence.answers and _chain(c.evidence) == chain):
        for path in c.leading(c.evidence, [n for n in c.evidence.answers if n.id not in paths]):
            paths.setdefault(path.answers[0].id, path)
    independent, representatives = merge_copies(context, list(paths.values())[: context.settings.answering.max_answers])
    if not context.agent.reads:  # who reads put them into an order
        scores = [e.scores.relevance for e in independent]
        independent = tuple(independent[p] for p in rank_by_votes(context, independent, scores))
    values = [value_of(e.answers[0], e.scores.relevance) for e in independent]
    return weighed(context, with_keys(context, values), independent, representatives)


def _decides(analysis: Analysis, first: Evidence) -> bool:
    """Return True if the best evidence decides; for claims, only evidence with what was asked does."""
    text = first.path.passage is not None and analysis.kind == "boolean"
    return bool(first.answers) and (not text or any(n.id in analysis.topics for n in first.answers))


def _chain(evidence: Evidence) -> tuple[object, ...]:
    """Return where a path starts and which relations it takes; of a text, what it says."""
    hops = evidence.path.hops
    if evidence.path.passage is not None or not hops:
        return (evidence.answers[:1],)
    return (hops[0].subject.id, *(h.predicate for h in hops))


def _named(
    context: Context, analysis: Analysis, found: Sequence[Judged], judgement: Judgement, phase: str
) -> Conclusion:
    """Return the answers that the agent named, with evidence.

    For counts and claims, all evidence counts. For the agent's own knowledge, the agent is the source.
    """
    answers: dict[str, AnswerValue] = {}
    behind: list[Evidence] = []
    for name in judgement.answers:
        folded = fold(name)
        for c in found:
            e = c.evidence
            node = next((n for n in (*e.answers, *e.path.entities) if fold(n.name) == folded), None)
            if node is not None:
                behind += paths_to(context, c, [node], phase=phase)
                answers.setdefault(folded, value_of(node, e.scores.cross))
            elif isinstance(c, OwnCandidate) and _says(e, folded):
                behind.append(e)
                answers.setdefault(folded, AnswerValue(name))
        if folded not in answers and judgement.own_knowledge:
            answers[folded] = AnswerValue(name)
        elif folded not in answers and analysis.kind in {"count", "boolean"}:
            answers[folded] = AnswerValue(name)
            behind += [c.evidence for c in found if c.evidence not in behind]
    keyed = with_keys(context, answers.values())
    independent, _ = merge_copies(context, behind, reference=[c.evidence for c in found])
    supporting, kinds = supporters_of(independent)
    if not all(isinstance(c, OwnCandidate) for c in found):  # what a strategy found itself counts by its first path
        supporting = _behind(keyed[:1], independent)
    return Conclusion(keyed, independent, supporting, {}, kinds, ())


def _says(evidence: Evidence, folded: str) -> bool:
    """Return True if the evidence's sentence contains the name."""
    passage = evidence.path.passage
    return passage is not None and f" {folded} " in f" {fold(passage.text)} "


def _behind(first: Sequence[AnswerValue], evidence: Sequence[Evidence]) -> dict[str, float]:
    """Return the origins that support the first answer by any of its paths, each with its best ρ."""
    weights: dict[str, float] = {}
    for e in evidence:
        if e.answers and any(fold(e.answers[0].name) == fold(a.name) for a in first):
            for origin, rho in supporters_of([e])[0].items():
                weights[origin] = max(rho, weights.get(origin, 0.0))
    return weights
