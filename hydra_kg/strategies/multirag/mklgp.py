"""MKLGP (MultiRAG Algorithm 2 lines 4–7): confidence of homologous data and authority, selection, conclusion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from hydra_kg.domain import Analysis, AnswerValue, Claimed, Evidence, Hop, Judgement, Node, Option, Path
from hydra_kg.fusion.conflicts.conflict import (
    Holders,
    Side,
    conflict_of,
    find_contested_values,
    holders,
    is_less_specific,
)
from hydra_kg.fusion.conflicts.fuse import Fused, Group, JudgedValue, judge_claims, supporters
from hydra_kg.fusion.dependence.copy_detection import copies, copying_from
from hydra_kg.fusion.gathering.line_graph import Homologous, LineGraph
from hydra_kg.fusion.gathering.store_claims import Circumstances, ClaimStatement, group_key, rows_of, triples_of
from hydra_kg.fusion.model.beliefs import Reals
from hydra_kg.fusion.model.claims import Claims
from hydra_kg.fusion.normalisation.claim_values import read_claims
from hydra_kg.fusion.truth_discovery.mcc import Computed, Mcc
from hydra_kg.fusion.truth_discovery.multi_level_confidence import nodes_of
from hydra_kg.steps.answering.results import NOTHING, Conclusion, value_of
from hydra_kg.steps.context import Context
from hydra_kg.steps.verification.verify import verdict
from hydra_kg.strategies.multirag.homologous import Search, select_asked
from hydra_kg.text.folding import fold
from hydra_kg.util.fast_dataclass import dataclass, replace
from hydra_kg.util.recording import step

PHASE = "confidence"
CLAIMS = 100
"""Largest number of claims of a question that are stored; more would be too many to look at."""
SAID = 5
"""Largest number of sources of a value that a model is shown."""
_Key = tuple[str, str, str]
_Own = Mapping[_Key, tuple[ClaimStatement, ...]]


@dataclass(frozen=True, slots=True)
class NodeVerdict:
    """Verdict of Algorithm 1 on a node of a homologous group.

    - ``source``: the source of the node.
    - ``confidence``: C(v).
    - ``fate``: ``accepted`` (in SVs), ``rejected``, or ``isolated`` (in LVs).
    """

    source: str
    confidence: float
    fate: str


@dataclass(frozen=True, slots=True, eq=False)
class Trusted:
    """Result of MKLGP: the groups of the answer by confidence, and their evidence, believed values first.

    ``keys`` has group, attribute and text of each value. ``representatives`` maps each copying source to the source
    that speaks for it.
    """

    fused: Fused
    computed: Computed
    lines: Homologous
    groups: tuple[Group, ...]
    own: _Own
    evidence: tuple[Evidence, ...]
    keys: tuple[_Key, ...]
    representatives: Mapping[str, str]
    nodes: Mapping[_Key, tuple[NodeVerdict, ...]]
    apart: bool = False
    """Whether each source is alone, because the line graph is switched off."""

    @property
    def counts(self) -> dict[str, int]:
        """The numbers that the trace records: groups, and nodes in each set of Algorithm 1."""
        sets = {name: int(getattr(self.computed, name).sum()) for name in ("kept", "rejected", "isolated")}
        sets |= {"coarse": int(self.computed.coarse.sum()), "fine": sets["kept"] + sets["isolated"]}
        return {
            "nodes": len(self.computed.kept),
            "claims": len(self.fused.reading.claims),
            "groups": len(self.lines),
            "across_sources": int(self.lines.across.sum()),
            **sets,
        }

    @property
    def claims(self) -> tuple[Claimed, ...]:
        """The nodes of the homologous groups, best group first, at most :data:`CLAIMS`."""
        found: list[Claimed] = []
        for e, key in zip(self.evidence, self.keys, strict=True):
            hop = e.path.hops[-1]
            found += [
                Claimed(n.source, hop.subject, hop.text, hop.object, min(1.0, max(0.0, n.confidence / 2)), e.kept)
                for n in self.nodes[key]
            ]
        return tuple(found[:CLAIMS])


def verdicts_of(claims: Claims, computed: Computed) -> dict[_Key, tuple[NodeVerdict, ...]]:
    """Return the nodes that state each value, with the verdict of Algorithm 1.

    The keys are (group, attribute, text).
    """
    fates = np.where(computed.isolated, "isolated", np.where(computed.kept, "accepted", "rejected"))
    found: dict[_Key, dict[str, NodeVerdict]] = {}
    rows = zip(claims.group.tolist(), claims.source.tolist(), claims.value.tolist(), computed.nodes.of, strict=True)
    for group, source, value, node in rows:
        name = claims.sources[source]
        key = (*claims.keys[group], claims.texts[group][value])
        found.setdefault(key, {})[name] = NodeVerdict(name, float(computed.confidence[node]), str(fates[node]))
    return {key: tuple(own.values()) for key, own in found.items()}


@step("confidence")
def weigh_statements(
    context: Context,
    analysis: Analysis,
    search: Search,
    stated: Sequence[ClaimStatement],
    method: Mcc,
    *,
    line_graph: bool = True,
    authority_scale: float = 1.0,
) -> Trusted:
    """Return the confidence of the statements in each group of the line graph.

    An agent judges the authority of sources if it may see all nodes (``agent.options``); otherwise authority comes from
    the graph. Without ``line_graph`` no claims are grouped.
    """
    if not line_graph:
        stated = [replace(s, when=(*s.when, ("source", s.fact.source.name))) for s in stated]
    _, lines = LineGraph().added(triples_of(stated))
    stated = [stated[n] for group in range(len(lines)) for n in lines.of(group).tolist()]
    rows = list(rows_of(stated))
    reading = read_claims(rows, entity=lambda key: key)
    most = context.settings.agent.options
    if context.agent.reads and (not most or len(nodes_of(reading.claims).group) <= most):
        authority = authority_of(context, analysis, stated, reading.claims.sources, scale=authority_scale)
        method = replace(method, authority=authority)
        if method.authority is not None and len(method.authority) != len(nodes_of(reading.claims).group):
            method = replace(method, authority=None)
    representatives = copies(context.snapshot, rows)
    copying = copying_from(reading.claims.sources, representatives)
    each = replace(method, authority=None) if copying.groups else method  # a model judged the sources one by one
    around = holders(context.snapshot, find_contested_values(stated))
    fused = judge_claims(reading, each, holders=around, copying=copying)
    every = list(fused.groups())
    order = select_asked(context.question, sorted({g.when for g in every}))
    groups = tuple(g for when in order for g in every if g.when == when)
    own = supporters(fused, stated)
    computed = method.compute(reading.claims)
    nodes = verdicts_of(reading.claims, computed)
    found = [e for g in groups for e in _evidence(search, g, own, nodes, printed=method.printed)]
    found = sorted(found, key=lambda pair: not pair[1].kept)[: context.settings.answering.max_answers]
    shown = tuple(e for _, e in found)
    if context.observers.watch is not None:
        context.observers.watch("selected", np.array([n.id for e in shown for n in e.answers], np.int64))
    return Trusted(
        fused,
        computed,
        lines,
        groups,
        own,
        shown,
        tuple(key for key, _ in found),
        representatives,
        nodes,
        apart=not line_graph,
    )


@step("conclude")
def conclude_fused(context: Context, search: Search, trust: Trusted, judgement: Judgement) -> Conclusion:
    """Return the conclusion: believed values, or those that the agent names, with supporting and opposing origins.

    It has a sentence if sources disagree or if the value changes over time.
    """
    named = {fold(name) for name in judgement.answers}
    selected = [e for e in trust.evidence if fold(e.answers[0].name) in named]
    selected = selected or [e for e in trust.evidence if e.kept]
    if not selected and not context.agent.reads:  # nothing is accepted, and nobody judges what was rejected
        selected = list(trust.evidence[:1])
    values: dict[str, AnswerValue] = {}
    for e in selected:
        values.setdefault(fold(e.answers[0].name), value_of(e.answers[0], e.scores.cross))
    if not selected:
        return replace(NOTHING, evidence=trust.evidence)
    first = selected[0]
    group = next(g for g in trust.groups if (first.reason.endswith(_when(g.when)) or not g.when) and _holds(g, first))
    believed_texts = {v.text for v in group.answer}
    supporting = _origins(trust, group, {first.answers[0].name})
    against = [v for v in group.values if v.text not in believed_texts and not _vaguer(v, group, trust.fused.holders)]
    opposing = _origins(trust, group, {v.text for v in against})
    opposing = {k: rho for k, rho in opposing.items() if k not in supporting}
    kinds = frozenset(f.source.kind for e in selected for f in e.path.hops[-1].facts)
    dissent = tuple(f"{', '.join(v.sources)} {'says' if len(v.sources) == 1 else 'say'} {v.text}" for v in against)
    sentence = ""
    if group.conflict is not None and against and verdict(supporting, opposing)[0] in ("contested", "contradicted"):
        sentence = group.conflict.sentence
    elif len(trust.groups) > 1 and len(values) > 1 and not trust.apart:
        sentence = _over_time(trust.groups)
    evidence = (*selected, *(e for e in trust.evidence if e not in selected))
    return Conclusion(tuple(values.values()), evidence, supporting, opposing, kinds, dissent, sentence=sentence)


def _evidence(
    search: Search, group: Group, own: _Own, nodes: Mapping[_Key, tuple[NodeVerdict, ...]], *, printed: bool
) -> Iterator[tuple[_Key, Evidence]]:
    """Yield a path for each value of a group, best value first, with all facts that state it.

    With ``printed`` a value counts if Algorithm 1 accepts one of its nodes or leaves it isolated; otherwise it counts
    if fusion believes it.
    """
    base, hop = search.evidence, search.hop
    when = _when(group.when)
    for v in group.values:
        key = (group_key(group.entity, group.when), group.attribute, v.text)
        if not (behind := own.get(key)):
            continue
        end = _end(v, behind)
        facts = tuple(s.fact for s in behind)
        subject = (
            hop.subject if hop.subject.id == group.entity else Node(group.entity, facts[0].subject, facts[0].subject)
        )
        path = Path((*base.path.hops[:-1], Hop(subject, hop.predicate, f"{hop.text}{when}", end, True, None, facts)))
        fate = f"{'believed' if v.believed else 'not believed'}, probability {v.probability:.2f}{when}"
        origins = tuple(sorted({f.source.group for f in facts}))
        stays = any(n.fate != "rejected" for n in nodes[key]) if printed else v.believed
        line = f"{{{subject.name}}} → {hop.text}{when} → {{{end.name}}} ({_fates(nodes[key])})"
        yield (
            key,
            replace(base, path=path, phase=PHASE, kept=stays, reason=fate, answers=(end,), origins=origins, line=line),
        )


def _fates(nodes: Sequence[NodeVerdict]) -> str:
    """Return the text about a value's nodes for a model: ``accepted: freebase C(v) 1.31; rejected: …``."""
    shown = []
    for fate in ("accepted", "rejected", "isolated"):
        own = sorted((n for n in nodes if n.fate == fate), key=lambda n: (-n.confidence, n.source))
        said = ", ".join(f"{n.source} C(v) {n.confidence:.2f}" for n in own[:SAID])
        shown += [f"{fate}: {said}{', …' if len(own) > SAID else ''}"] if own else []
    return "; ".join(shown)


def _end(value: JudgedValue, behind: Sequence[ClaimStatement]) -> Node:
    """Return the stated node whose name is shown for the value, or a node made from the first statement."""
    return next(
        (s.value for s in behind if s.value.name == value.text),
        Node(behind[0].value.id, behind[0].value.key, value.text),
    )


def _origins(trust: Trusted, group: Group, texts: set[str]) -> dict[str, float]:
    """Return the origins of the statements behind some values, each with its best ρ."""
    weights: dict[str, float] = {}
    for text in texts:
        for s in trust.own.get((group_key(group.entity, group.when), group.attribute, text), ()):
            source = s.fact.source
            representative = trust.representatives.get(source.name, source.group)
            weights[representative] = max(source.rho, weights.get(representative, 0.0))
    return weights


def _vaguer(value: JudgedValue, group: Group, around: Holders) -> bool:
    return any(is_less_specific(value.text, other.text, around) for other in group.answer)


def _holds(group: Group, evidence: Evidence) -> bool:
    return any(v.text == evidence.answers[0].name for v in group.values)


def _when(when: Circumstances) -> str:
    return f" ({', '.join(f'{k} {v}' for k, v in when)})" if when else ""


def _over_time(groups: Sequence[Group]) -> str:
    """Return a sentence with the believed values at each time, the latest times first, or ""."""
    sides: dict[str, list[Group]] = {}
    for g in groups:
        for v in g.answer:
            sides.setdefault(v.text, []).append(g)
    every = [
        Side(
            text,
            tuple(sorted({s for g in own for v in g.answer if v.text == text for s in v.sources})),
            frozenset(" ".join(v for _, v in g.when) for g in own),
            weight=float(len(sides) - n),
        )
        for n, (text, own) in enumerate(sides.items())
    ]
    conflict = conflict_of(every)
    return conflict.sentence if conflict is not None else ""


def authority_of(
    context: Context,
    analysis: Analysis,
    stated: Sequence[ClaimStatement],
    sources: Sequence[str],
    *,
    scale: float = 1.0,
) -> Reals | None:
    """Return the authority C_LLM(v) of each node, as reals (M,), or None if the agent gives no score.

    A node is what one source states for one key. The agent sees the nodes in the form of §III.D.2. Its scores are
    multiplied by ``scale``; a node that it does not name has 0.
    """
    nodes: dict[tuple[str, str], list[ClaimStatement]] = {}
    place: dict[str, int] = {}
    for s in stated:
        place.setdefault(s.key, len(place))
        nodes.setdefault((s.key, s.fact.source.name), []).append(s)
    order = {name: n for n, name in enumerate(sources)}
    keys = sorted(nodes, key=lambda k: (place[k[0]], order[k[1]]))
    known = context.entities([s.entity for s in stated])
    said = {name: sum(s.fact.source.name == name for s in stated) for name in sources}
    options = []
    for key in keys:
        first, values = nodes[key][0], ", ".join(dict.fromkeys(s.value.name for s in nodes[key]))
        when = "".join(f", {k} {v}" for k, v in first.when)
        source = f"{first.fact.source.name} ({first.fact.source.kind}, statements here: {said[key[1]]})"
        subject = known[first.entity].node.name
        options.append(Option(f"{source}: {{{subject}}} → {first.attribute}{when} → {{{values}}}", 0.0))
    score = np.zeros(len(keys))
    for picked in context.agent.prune(analysis, "authority", options, most=len(options)):
        score[picked.place] = scale * picked.score
    return score if score.any() else None
