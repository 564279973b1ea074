"""Answers of a chosen relation path: all their paths, their supporting sources, and those that differ (design §6)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from hydra_kg.domain import AnswerValue, Evidence, Path
from hydra_kg.fusion.conflicts.conflict import Side
from hydra_kg.steps.answering.answer_ranking import Choice
from hydra_kg.steps.answering.disagreement import contested, disagreement, merge_copies, rank_by_votes
from hydra_kg.steps.answering.results import Conclusion, named, supporters_of
from hydra_kg.steps.context import PASSAGES, Context
from hydra_kg.steps.retrieval.graph_retrieval import JudgedPath, RetrievalResult
from hydra_kg.steps.retrieval.path_instances import PathInstance, instances, materialise
from hydra_kg.steps.verification.verify import back, mentioning, origins, voice
from hydra_kg.text.folding import fold
from hydra_kg.util.cancelling import check_between

SAID = 5
"""Further values of another source that are named."""


def relation_answers(context: Context, choice: Choice, found: RetrievalResult, *, phase: str) -> Conclusion:
    """Return the chosen answers with paths that have all stating facts and passages; nameless ends are left out."""
    graph, judged = found.hops, found.judged
    known = context.entities([int(graph.ids[e]) for e, _ in choice.ends])
    ends = [(e, v) for e, v in choice.ends if named(known[int(graph.ids[e])])]
    picked = _instances(ends, choice.members, judged)
    relations = [judged[m] for m, _, _ in picked]
    paths = materialise(context, [i for _, i, _ in picked], graph)
    paths = back(context, paths, [r.relation.codes for r in relations])
    every = []
    for path, relation, (_, _, end) in zip(paths, relations, picked, strict=True):
        backers = tuple(sorted(origins(path, independence=context.settings.verification.independence)))
        answer = (known[int(graph.ids[end])].node,)
        every.append(Evidence(path, relation.scores, phase, True, "leads to an answer", answer, backers))
    independent, representatives = merge_copies(context, every)
    evidence = _with_passages(context, independent)
    order = rank_by_votes(context, evidence, [vote for _, vote in ends])
    evidence, ends = [evidence[p] for p in order], [ends[p] for p in order]
    answers = tuple(
        AnswerValue(e.node.name, e.node, None, e.keys, round(vote, 6))
        for e, vote in ((known[int(graph.ids[end])], v) for end, v in ends)
    )
    supporting, kinds = supporters_of(evidence)
    opposing, dissent, sides, rivals = _opposition(context, choice, found, supporting)
    differ = (
        contested(evidence, sides, supporting, opposing) if sides else disagreement(context, evidence, representatives)
    )
    dissent = (*dissent, *differ.dissent, *_more(context, choice, found))
    return Conclusion(
        answers,
        tuple(evidence),
        supporting,
        differ.opposing,
        kinds,
        dissent,
        sentence=differ.sentence,
        rivals=tuple(replace(r, phase=phase) for r in rivals),
    )


def _instances(
    ends: Sequence[tuple[int, float]], members: Sequence[int], judged: Sequence[JudgedPath]
) -> list[tuple[int, PathInstance, int]]:
    """Return (member, instance, end) for each end, of the first chosen relation path that reaches it."""
    reach = []
    for m in members:
        relation = judged[m].relation
        every = instances(relation, most=len(relation.ends))
        reach.append((m, {int(relation.tree.ends[i.row]): i for i in check_between(every)}))
    return [next((m, instance[e], e) for m, instance in reach if e in instance) for e, _ in ends]


def _with_passages(context: Context, evidence: Sequence[Evidence]) -> Sequence[Evidence]:
    """Add a sentence naming both ends of a one-hop path as an origin of its own."""
    short = [e for e in evidence if _direct(e)]
    if not short or "wiki" not in context.kinds:
        return evidence
    subject = short[0].path.hops[0].subject.id
    ends = [e.answers[0].id for e in short]
    known = context.entities([subject, *ends])
    passages = [
        p
        for p in context.snapshot.passages([subject, *ends], limit=PASSAGES * 3)
        if not context.allowed or p.source.name in context.allowed
    ]
    text = mentioning(known[subject], [known[n] for n in ends], passages)
    out = []
    for e in evidence:
        mine = text.get(e.answers[0].id, []) if _direct(e) else []
        groups = {voice(p.source, context.settings.verification.independence) for p in mine}
        path = Path(e.path.hops, mine[0]) if mine else e.path
        out.append(replace(e, path=path, origins=tuple(sorted({*e.origins, *groups}))))
    return out


def _direct(evidence: Evidence) -> bool:
    """Return True if the first hop already reaches the answer."""
    return evidence.path.hops[0].object.id == evidence.answers[0].id


def _more(context: Context, choice: Choice, found: RetrievalResult) -> Iterator[str]:
    """Yield a note for each similar path of another source that gives several answers beyond ours.

    This is no conflict, but the user is told of it.
    """
    graph, ours = found.hops, {e for e, _ in choice.ends}
    for j in (found.judged[m] for m in choice.members[1:]):
        more = [int(graph.ids[e]) for e in j.relation.ends.tolist() if e not in ours]
        if not more or len(j.relation.ends) == 1:
            continue
        known = context.entities(more[:SAID])
        names = [known[n].node.name for n in more[:SAID] if named(known[n])]
        sources = sorted({f.source.name for f in j.path.hops[-1].facts})
        if names and sources:
            rest = f" and {len(more) - len(names)} more" if len(more) > len(names) else ""
            yield f"{', '.join(sources)} also says {', '.join(names)}{rest}"


def _of_another(ours: Path, theirs: Path) -> bool:
    """Return True if two paths lead through different things: an actor's birthplace is not the director's."""
    return len(ours.hops) > 1 < len(theirs.hops) and ours.hops[-1].subject.id != theirs.hops[-1].subject.id


def _opposition(
    context: Context, choice: Choice, found: RetrievalResult, supporting: Mapping[str, float]
) -> tuple[dict[str, float], tuple[str, ...], list[Side], list[Evidence]]:
    """Return the origins whose similar path gives another single value, who states what, and the paths."""
    leading, graph = found.judged[choice.members[0]], found.hops
    first = leading.relation
    if len(first.ends) != 1:
        return {}, (), [], []
    ours = int(graph.ids[first.ends[0]])
    mine = fold(context.entities([ours])[ours].node.name)
    against: dict[str, float] = {}
    words: dict[str, None] = {}
    sides: list[Side] = []
    rivals: dict[int, Evidence] = {}
    for j in (found.judged[m] for m in choice.members[1:]):
        theirs = int(graph.ids[j.relation.ends[0]])
        pair = np.array([ours], np.int64), np.array([theirs], np.int64)
        if len(j.relation.ends) != 1 or theirs == ours or _of_another(leading.path, j.path):
            continue
        if len(context.snapshot.between(*pair).pair):
            continue
        node = context.entities([theirs])[theirs].node
        if fold(node.name) == mine:
            continue  # the same value, whose two things no link joins
        backers = tuple(sorted(origins(j.path, independence=context.settings.verification.independence)))
        rivals.setdefault(theirs, Evidence(j.path, j.scores, "", True, "states another value", (node,), backers))
        name = node.name
        for f in j.path.hops[-1].facts:
            if f.source.rho > 0 and f.source.group not in supporting:
                against[f.source.group] = max(against.get(f.source.group, 0.0), f.source.rho)
                words[f"{f.source.name} says {name}"] = None
                sides.append(Side(name, (f.source.name,), weight=f.source.rho))
    return against, tuple(words), sides, list(rivals.values())
