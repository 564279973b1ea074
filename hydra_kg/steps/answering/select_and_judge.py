"""An attempt to answer (HydraRAG §4.3 step 3, §4.4): select among the candidates, refine, judge, conclude."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hydra_kg.domain import Analysis, AnswerValue, Evidence, Ids, Judgement, Node, Picked
from hydra_kg.steps.answering.aggregation import compute
from hydra_kg.steps.answering.answer_ranking import Choice, choose
from hydra_kg.steps.answering.candidates import Candidate, Structured
from hydra_kg.steps.answering.conclude import conclude, with_keys
from hydra_kg.steps.answering.count_and_boolean import deduced
from hydra_kg.steps.answering.independent_sources import one_voice
from hydra_kg.steps.answering.literal_answers import conclude_values
from hydra_kg.steps.answering.results import NOTHING, Attempt, Conclusion, supporters_of, value_of
from hydra_kg.steps.answering.specificity_rerank import specific_first
from hydra_kg.steps.context import Context
from hydra_kg.steps.verification.prune import vectors_of
from hydra_kg.text.folding import fold
from hydra_kg.util.recording import step


def attempt(
    context: Context,
    analysis: Analysis,
    pool: Sequence[Candidate],
    *,
    phase: str,
    last: bool = False,
    more: bool = False,
    selected: Sequence[Picked] | None = None,
) -> Attempt:
    """Select W_max of the candidates, refine, judge the sub-questions and the question, and conclude.

    ``selected``: what was selected before, in place of a selection · ``last``: after all explorations; the agent may
    then add what it knows itself. It has seen the paths before, so they come by their cross-score, without a call;
    Algorithm 3 line 27 selects again (``summarise``) · ``more``: another attempt follows if this one is not enough, so
    that nothing need be concluded from it.
    """
    agent, settings = context.agent, context.settings
    with context.phase("select"):
        if selected is not None:
            picked = tuple(selected)
        elif last and agent.reads and not settings.summarise:
            picked = tuple(Picked(i, c.evidence.scores.cross) for i, c in enumerate(pool[: settings.w_max]))
        else:
            picked = agent.select_paths(analysis, [c.evidence for c in pool], most=settings.w_max)
    chosen = [_with_score(pool[p.place], p.score) for p in picked]
    if context.watch is not None:
        context.watch("selected", _ends(chosen))
    rest = [c for i, c in enumerate(pool) if i not in {p.place for p in picked}]
    evidence = [c.evidence for c in chosen]
    if last and chosen:  # of several explorations: the analysis knows the best path of the last one
        analysis = replace(analysis, standing=chosen[0].standing or analysis.standing)
    refined = ""
    if settings.refine == "call" and chosen:
        with context.phase("refine"):
            refined = agent.refine(analysis, evidence)
    with context.phase("judge"):
        judge = agent.answer if last else agent.judge
        judgement = judge(analysis, evidence, refined=refined)
    if more and not judgement.sufficient:
        return Attempt(NOTHING, judgement, tuple(evidence))
    with context.phase("answer"):
        conclusion = _concluded(context, analysis, chosen, rest, judgement, phase)
    return Attempt(conclusion, judgement, tuple(evidence))


def _ends(chosen: Sequence[Candidate]) -> Ids:
    """int64: class ids that the selected paths lead to, all of them."""
    ids = [n.id for c in chosen for n in c.evidence.answers]
    for c in chosen:
        if c.of is not None and c.place >= 0:
            ids += c.of.found.hops.ids[c.of.found.judged[c.place].relation.ends].tolist()
    return np.unique(np.array(ids, np.int64))


def _with_score(candidate: Candidate, score: float) -> Candidate:
    evidence = candidate.evidence
    return replace(candidate, evidence=replace(evidence, scores=replace(evidence.scores, llm=score), reason="selected"))


@step("conclude")
def _concluded(
    context: Context,
    analysis: Analysis,
    chosen: Sequence[Candidate],
    rest: Sequence[Candidate],
    judgement: Judgement,
    phase: str,
) -> Conclusion:
    if judgement.answers:
        named = _named(context, analysis, chosen, judgement, phase)
        return deduced(analysis, named, most=context.settings.max_answers)
    if not chosen:
        return NOTHING
    first = chosen[0]
    if first.of is None:
        said = _from_text([c.evidence for c in (*chosen, *rest) if c.of is None], context.settings.w_max)
        return _affirmed(analysis, said)
    conclusion = _from_graph(context, analysis, first.of, first, phase)
    return deduced(analysis, conclusion, most=context.settings.max_answers)


def _from_graph(context: Context, analysis: Analysis, of: Structured, first: Candidate, phase: str) -> Conclusion:
    """The answers of the first candidate's path, backed by like paths, computed over where the question says so."""
    if first.value is not None:
        values = [first.value, *(v for v in of.values if v is not first.value)]
        return conclude_values(context, values, of.found, of.relevance, phase=phase)
    judged = of.found.judged
    ordered = (judged[first.place], *judged[: first.place], *judged[first.place + 1 :])
    found = replace(of.found, judged=ordered)
    vectors = vectors_of(ordered, of.relevance)
    if analysis.selection:
        computed = compute(context, analysis.selection, found, vectors, phase=phase)
        if computed is not None:
            return computed
    choice = specific_first(context, choose(ordered, vectors, most=context.settings.max_answers), found.hops)
    kept = choice.ends[: analysis.wanted or None]
    end = conclude(context, replace(choice, ends=kept), found, phase=phase)
    if len(kept) == len(choice.ends):
        return end
    return replace(end, dissent=(*end.dissent, f"the sources state more than {len(kept)}"))


def _from_text(written: Sequence[Evidence], most: int) -> Conclusion:
    """The best sentence's answer; other sentences that give the same support it."""
    kept = [e for e in written if e.answers]
    if not kept:
        return replace(NOTHING, evidence=tuple(written[:most]))
    answer = kept[0].answers[0]
    same = [replace(e, answers=(answer,)) for e in kept if answer in e.answers][:most]
    supporting, kinds = supporters_of(same)
    return Conclusion((value_of(answer, kept[0].scores.cross),), tuple(same), supporting, {}, kinds, ())


def _affirmed(analysis: Analysis, said: Conclusion) -> Conclusion:
    """What a sentence answers; a question whether is answered by one that leads to what it names, and by no other."""
    if analysis.kind != "boolean":
        return said
    leads = any(a.node is not None and a.node.id in analysis.topics for a in said.answers)
    return deduced(analysis, said, most=1) if leads else replace(said, answers=())


def _named(
    context: Context, analysis: Analysis, chosen: Sequence[Candidate], judgement: Judgement, phase: str
) -> Conclusion:
    """The answers that the agent named, each with the selected paths that hold it.

    What no path holds rests on all of them if the question is one of how many or whether, and else on nothing.
    """
    evidence: list[Evidence] = []
    found: dict[str, AnswerValue] = {}
    for name in judgement.answers:
        folded = fold(name)
        for candidate in chosen:
            node = next((n for n in _nodes(candidate.evidence) if fold(n.name) == folded), None)
            if node is None:
                continue
            for e in _leading(context, candidate, node, phase):
                evidence.append(e)
            found.setdefault(folded, value_of(node, candidate.evidence.scores.cross))
        if judgement.own_knowledge:
            found.setdefault(folded, AnswerValue(name))
        elif folded not in found and analysis.kind in {"count", "boolean"}:
            found[folded] = AnswerValue(name)
            evidence.extend(c.evidence for c in chosen)
    answers = with_keys(context, found.values())
    held, _ = one_voice(context, evidence, beside=[c.evidence for c in chosen])
    _, kinds = supporters_of(held)
    return Conclusion(answers, held, _behind(answers[:1], held), {}, kinds, ())


def _behind(first: Sequence[AnswerValue], evidence: Sequence[Evidence]) -> dict[str, float]:
    """Origins behind the first answer, whichever of its paths they stand on, with their best ρ."""
    weights: dict[str, float] = {}
    for e in evidence:
        if e.answers and any(fold(e.answers[0].name) == fold(a.name) for a in first):
            for origin, rho in supporters_of([e])[0].items():
                weights[origin] = max(rho, weights.get(origin, 0.0))
    return weights


def _leading(context: Context, candidate: Candidate, node: Node, phase: str) -> Sequence[Evidence]:
    """The candidate as paths that lead to ``node``, with every fact that states a hop."""
    of = candidate.of
    if of is not None and candidate.value is not None:
        every = conclude_values(context, [candidate.value], of.found, of.relevance, phase=phase).evidence
        return [e for e in every if node in e.answers]
    if of is not None:
        local = int(of.found.hops.local(np.array([node.id], np.int64))[0])
        if local in of.found.judged[candidate.place].relation.ends.tolist():
            return conclude(context, Choice((candidate.place,), ((local, 1.0),)), of.found, phase=phase).evidence
    return [replace(candidate.evidence, answers=(node,))]


def _nodes(evidence: Evidence) -> Sequence[Node]:
    return (*evidence.answers, *evidence.path.entities)
