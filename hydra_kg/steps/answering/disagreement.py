"""Disagreement as an answer (design §6): whether an attribute has one value, who says which, and of what kind it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final

from hydra_kg.domain import AnswerValue, Evidence, Fact, Node, Path
from hydra_kg.execution.own_graph import BETWEEN_VALUES, is_own
from hydra_kg.fusion.conflicts.conflict import Side, conflict_of, holders, is_less_specific, is_list
from hydra_kg.fusion.dependence.copy_detection import find_copied_origins
from hydra_kg.fusion.gathering.several_values import takes_several_values
from hydra_kg.fusion.gathering.store_claims import align_attributes, statements
from hydra_kg.steps.answering.results import Conclusion, supporters_of, value_of
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.question_graph import PerQuestion
from hydra_kg.steps.verification.verify import origins, verdict
from hydra_kg.text.literals import is_literal, literal_text
from hydra_kg.util.fast_dataclass import dataclass, replace


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Origins against the first value (name → ρ), others' values in words, and the conflict's sentence or ""."""

    opposing: dict[str, float]
    dissent: tuple[str, ...]
    sentence: str


_STATED: Final = PerQuestion()
"""What sources state of an attribute of a thing: an outcome may be checked several times."""

NONE: Final = Disagreement({}, (), "")


def weighed(
    context: Context, answers: Iterable[AnswerValue], evidence: Sequence[Evidence], representatives: Mapping[str, str]
) -> Conclusion:
    """Return the answers with the origins that support and oppose the first one.

    ``evidence`` has one path per answer. ``representatives`` names the origin that speaks for each copy, by origin (see
    :func:`merge_copies`).
    """
    supporting, kinds = supporters_of(evidence)
    differ = disagreement(context, evidence, representatives)
    return Conclusion(
        tuple(answers), tuple(evidence), supporting, differ.opposing, kinds, differ.dissent, sentence=differ.sentence
    )


def disagreement(
    context: Context, evidence: Sequence[Evidence], representatives: Mapping[str, str] = MappingProxyType({})
) -> Disagreement:
    """Return whether sources disagree on an attribute that has a single value.

    A value that is less specific, or that holds at another time, does not oppose the first one.

    Args:
        evidence: One path with all its facts per value, best first.
        representatives: The origin that speaks for each copy, by origin (``copies``).
    """
    if len(evidence) < 2 or not _one_attribute(evidence):
        return NONE
    stated_sides = _stated_sides(evidence, representatives)
    conflict = conflict_of([h.side for h in stated_sides], general=is_less_specific)
    if conflict is None or conflict.kind not in ("value", "time"):
        return NONE
    predicate = evidence[0].path.hops[-1].predicate
    if takes_several_values(context.snapshot, predicate):
        return NONE
    around = holders(context.snapshot, [e.answers[0].id for e in evidence if not is_literal(e.answers[0].key)])
    conflict = conflict_of([h.side for h in stated_sides], general=partial(is_less_specific, containers=around))
    if conflict is None or conflict.kind == "granularity":
        return NONE
    if conflict.kind == "time":
        return Disagreement({}, (), conflict.sentence)
    first = next((h for h in stated_sides if evidence[0].answers[0].name in h.texts), stated_sides[0])
    others = [h for h in stated_sides if h is not first]
    opposing: dict[str, float] = {}
    for origin, rho in sorted(pair for h in others for pair in h.origins.items()):
        if origin not in first.origins:
            opposing[origin] = max(rho, opposing.get(origin, 0.0))
    decided = verdict(first.origins, opposing)[0] not in ("contested", "contradicted")
    sides = [s for s in conflict.sides if s.value != first.side.value]
    words = tuple(f"{', '.join(s.sources)} {'says' if len(s.sources) == 1 else 'say'} {s.value}" for s in sides)
    return Disagreement(opposing, words, "" if decided else conflict.sentence)


def add_disagreement(context: Context, end: Conclusion) -> Conclusion:
    """Return the conclusion with what other sources state of the same attribute of the same thing.

    The statements are those that fusion compares, whatever relation of the source has the attribute's name. Of the
    user's own data both values are answers, because nothing prefers one table to another.
    """
    names = {name for a in end.answers for name in a.name.split(BETWEEN_VALUES)}
    known = end.opposing or end.dissent or end.sentence
    own = [] if known else [e for e in end.evidence if _states_one_of(names, e.path)]
    stating = [replace(e, answers=(e.path.hops[-1].object,)) for e in own]
    if not stating or not _one_attribute(stating):
        return end
    ours, others = _sides_by_source(context, stating)
    if len(ours) + len(others) < 2:
        return end
    evidence, representatives = merge_copies(context, (*ours, *others))
    values = {e.answers[0].name: value_of(e.answers[0], end.answers[0].score) for e in evidence}
    found = weighed(context, end.answers, evidence, representatives)
    if not names <= set(values) or not (found.opposing or found.dissent or found.sentence):
        return end
    rest = tuple(e for e in end.evidence if e not in own)
    if is_own(ours[0].path.hops[-1].predicate):
        ordered = sorted(evidence, key=lambda e: -len(e.origins))
        found = weighed(context, [values[e.answers[0].name] for e in ordered], ordered, representatives)
        return replace(found, evidence=(*found.evidence, *rest))
    shown, rivals = found.evidence[: len(ours)], found.evidence[len(ours) :]
    return replace(found, evidence=(*shown, *rest), rivals=rivals, computation=end.computation, table=end.table)


def _states_one_of(names: Collection[str], path: Path) -> bool:
    """Return True if the last hop of a path of the graph states one of the values."""
    return bool(path.hops) and path.passage is None and path.hops[-1].object.name in names


def _sides_by_source(context: Context, evidence: Sequence[Evidence]) -> tuple[list[Evidence], list[Evidence]]:
    """Return the paths with those facts that state their very value, and a path for each other value.

    The facts are those that sources state of the attribute under the same circumstances.
    """
    hop = evidence[0].path.hops[-1]
    predicates = context.snapshot.predicates()
    if hop.predicate not in predicates.keys or takes_several_values(context.snapshot, hop.predicate):
        return list(evidence), []
    attribute = align_attributes(predicates)[predicates.keys.index(hop.predicate)]
    snapshot, subject = context.snapshot, hop.subject.id
    stated = _STATED.get(
        context.graph,
        (subject, attribute, context.allowed),
        lambda: statements(snapshot, [subject], attributes={attribute}, may=context.may, mediated=False),
    )
    own = {f.id for e in evidence for f in e.path.hops[-1].facts}
    when = {s.when for s in stated if s.fact.id in own}
    values = {e.answers[0].id: e.answers[0] for e in evidence}
    facts = defaultdict[int, list[Fact]](list)
    for s in stated:
        if s.when in when and s.fact.source.kind != "wiki":
            facts[values.setdefault(s.value.id, s.value).id].append(s.fact)
    paths = [_with_facts(context, e, e.answers[0], facts.pop(e.answers[0].id, ())) for e in evidence]
    return paths, [_with_facts(context, evidence[0], values[n], some) for n, some in facts.items()]


def _with_facts(context: Context, like: Evidence, value: Node, facts: Sequence[Fact]) -> Evidence:
    """Return the path to a value by the facts that state it, or the path itself if there are none."""
    if not facts:
        return like
    hops = like.path.hops
    last = replace(hops[-1], predicate=facts[0].predicate, object=value, facts=tuple(facts))
    path = replace(like.path, hops=(*hops[:-1], last))
    backers = origins(path, independence=context.settings.verification.independence)
    return replace(like, path=path, answers=(value,), origins=tuple(sorted(backers)))


def contested(
    evidence: Sequence[Evidence], sides: Sequence[Side], supporting: Mapping[str, float], opposing: Mapping[str, float]
) -> Disagreement:
    """Return the disagreement with the first evidence, where similar paths of other sources state other values.

    ``sides`` has these other values with their sources.
    """
    if not evidence or verdict(supporting, opposing)[0] not in ("contested", "contradicted"):
        return Disagreement(dict(opposing), (), "")
    facts = [f for f in evidence[0].path.hops[-1].facts if f.source.rho > 0]
    ours = Side(evidence[0].answers[0].name, tuple({f.source.name for f in facts}), weight=sum(supporting.values()))
    conflict = conflict_of([ours, *sides], general=is_less_specific)
    sentence = conflict.sentence if conflict is not None and conflict.kind == "value" else ""
    return Disagreement(dict(opposing), (), sentence)


@dataclass(frozen=True, slots=True)
class _StatedSide:
    """A stated value for conflict detection: its side, its spellings, and its origins with their ρ."""

    side: Side
    texts: frozenset[str]
    origins: dict[str, float]


def _stated_sides(evidence: Sequence[Evidence], representatives: Mapping[str, str]) -> list[_StatedSide]:
    """Return which sources state which value, values being compared by what they mean.

    The result is empty if one source states two of them for the same time.
    """
    last_facts = [(e.answers[0].name, f) for e in evidence for f in e.path.hops[-1].facts if f.source.rho > 0]
    if is_list(((f.source.name, f.qualifiers), value) for value, f in last_facts):
        return []  # the usual case: a list
    from hydra_kg.fusion.normalisation.claim_values import (
        read_claims,  # its readers of dates and names: only where two values are said
    )

    claims = read_claims((("", "", f.source.name, value) for value, f in last_facts))
    own: dict[tuple[str, str], list[Fact]] = {}
    for value, f in last_facts:
        own.setdefault((f.source.name, value), []).append(f)
    found: dict[int, list[tuple[str, Fact]]] = defaultdict(list)
    read = claims.claims
    for source, code, text in zip(read.source.tolist(), read.value.tolist(), claims.original.tolist(), strict=True):
        for f in own.get((read.sources[source], claims.texts[text]), ()):
            found[code].append((claims.texts[text], f))
    behind = [f.id for facts in found.values() for f in {f.id: f for _, f in facts}.values()]
    if len(set(behind)) < len(behind):
        return []  # one statement is a list
    stated_sides = []
    for code, facts in sorted(found.items()):
        when = frozenset(" ".join(literal_text(v) for _, v in f.qualifiers) for _, f in facts)
        origins = {representatives.get(f.source.group, f.source.group): f.source.rho for _, f in facts}
        names = tuple(sorted({f.source.name for _, f in facts}))
        side = Side(read.texts[0][code], names, frozenset() if "" in when else when, weight=sum(origins.values()))
        stated_sides.append(_StatedSide(side, frozenset(text for text, _ in facts), origins))
    return stated_sides


def _one_attribute(evidence: Sequence[Evidence]) -> bool:
    """Return True if all paths end in one hop from the same entity (like relations of several sources are one)."""
    ends = {e.path.hops[-1].subject.id for e in evidence if e.path.hops}
    whole = all(e.path.hops and e.answers and e.path.hops[-1].via is None for e in evidence)
    return whole and len(ends) == 1 and all(e.path.hops[-1].forward for e in evidence)


def merge_copies(
    context: Context, evidence: Iterable[Evidence], *, reference: Sequence[Evidence] = ()
) -> tuple[tuple[Evidence, ...], Mapping[str, str]]:
    """Replace the origins of copies by one representative, and return the representatives by origin.

    ``reference`` is contesting evidence: it helps to find copies but is not returned.
    """
    own = tuple(evidence)
    every = (*own, *reference)
    representatives = find_copied_origins(context.snapshot, [e.path for e in every], ends=[e.answers for e in every])
    if not representatives:
        return own, representatives
    return tuple(
        replace(e, origins=tuple(sorted({representatives.get(o, o) for o in e.origins}))) for e in own
    ), representatives


def rank_by_votes(context: Context, evidence: Sequence[Evidence], votes: Sequence[float]) -> list[int]:
    """Return the places of the evidence in order of votes; the evidence has one path per answer.

    Answers with equal votes are ordered by their number of origins if the setting ``verification.rivals`` is on. The
    order stays as it is if one origin states two of the answers.
    """
    places = list(range(len(evidence)))
    stating = [o for e in evidence for o in e.origins]
    if len(evidence) < 2 or len(set(stating)) < len(stating):
        return places
    weights = [0.0] * len(places)
    if context.settings.verification.rivals:
        weights = [float(len(e.origins)) for e in evidence]
    return sorted(places, key=lambda p: (-round(votes[p], 6), -weights[p]))
