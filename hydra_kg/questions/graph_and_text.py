"""Join graph and text if neither answers alone: each is asked for the half that the other lacks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from hydra_kg.domain import Evidence, Exploration, Hop, Judgement, Node, Passage, Path, Scores, TextFinding
from hydra_kg.extract.clauses import MARK
from hydra_kg.questions.coverage import unmet_conditions
from hydra_kg.questions.decision import can_be_given
from hydra_kg.steps.answering.literal_paths import literal_node
from hydra_kg.steps.answering.results import Conclusion, supporters_of, uncontested, value_of
from hydra_kg.steps.context import Context
from hydra_kg.steps.joining.bridges import JOINING_ENTITIES, Bridge, Ending, bridges, endings, first_hops, pages_about
from hydra_kg.steps.joining.split_questions import Halves, halves, unplaced
from hydra_kg.steps.linking.given_topics import is_additional
from hydra_kg.steps.operators.relations.noun_filter import kinds_of_thing
from hydra_kg.strategies.base import Outcome
from hydra_kg.text.folding import fold
from hydra_kg.text.quoting import quote_with_backslashes

_JOINING: Final = 0.8  # what confidence is multiplied by where a path goes through graph and text, 0 to 1
PHASE: Final = "joining"
_TIME: Final = re.compile(r"[0-9]{4}")
_AREAS: Final = frozenset({"country", "continent"})


def join_graph_and_text(context: Context, outcome: Outcome, ask: Callable[[Context], Outcome]) -> Outcome:
    """Return the outcome, or an answer that graph and text give together.

    Either a page leads from an unknown name to a thing, about which ``ask`` answers the question; or the graph leads to
    a thing, and pages say the rest.
    """
    if context.agent.reads or not context.settings.answering.joined or "wiki" not in context.kinds:
        return outcome
    if any(map(is_additional, outcome.mentions)) or _is_given(context, outcome):
        return outcome
    with context.phase(PHASE):
        # What a plan went through the graph states: a page is asked for what it lacks alone.
        begun = None if outcome.planned else _from_text(context, outcome, ask)
        return begun or _from_graph(context, outcome) or outcome


def _is_given(context: Context, outcome: Outcome) -> bool:
    """Return True if the outcome's answers can be given."""
    if outcome.planned or outcome.read:
        return can_be_given(outcome)
    return can_be_given(outcome, unmet_conditions(context, outcome.analysis, outcome.conclusion))


def _from_text(context: Context, outcome: Outcome, ask: Callable[[Context], Outcome]) -> Outcome | None:
    """Answer from the graph about things in a page on an unknown name, or on the entity between."""
    if outcome.analysis.answer_type == "boolean":
        return None  # a page on "Mary" does not tell whether she was his wife
    settings = context.settings.changed(retrieval={"phases": 1})
    for name, asked, pages in _read_about(context, outcome):
        tried = []
        linked = [b for b in bridges(context, pages, asked) if not asked.implied or _holds(context, b.node)]
        for bridge in linked[:JOINING_ENTITIES]:
            question = asked.outer.replace(MARK, bridge.node.name)
            answered = ask(replace(context, question=question, settings=settings, topics=()))
            at_it = any(m.chosen is not None and m.chosen.node.id == bridge.node.id for m in answered.mentions)
            if at_it and _is_given(replace(context, question=question), answered):
                tried.append((bridge, answered))
        if tried:
            best = max(tried, key=lambda t: t[0].likeness + t[1].judgement.confidence)
            return _joined(context, outcome, name, asked, *best)
    return None


def _read_about(context: Context, outcome: Outcome) -> Iterator[tuple[str, Halves, list[Passage]]]:
    """Yield names of the question without facts in the graph.

    Each comes with what is asked around it and pages about it.
    """
    chosen = {(m.start, m.end): m.chosen.node.id for m in outcome.mentions if m.chosen is not None and m.start >= 0}
    of_text = {span: node for span, node in chosen.items() if not _in_graph(outcome, node)}
    for start, end in [*unplaced(context.question, outcome.mentions), *of_text]:
        asked, name = halves(context.question, (start, end)), context.question[start:end]
        if not asked.meet or _unmet(outcome, name, asked.outer):
            continue
        pages = pages_about(context, name, of_text.get((start, end)))
        if pages:
            yield name, asked, pages


def _in_graph(outcome: Outcome, node: int) -> bool:
    """Return whether a fact about a thing was found in a source other than texts."""
    hops = [h for x in outcome.explorations for e in x.evidence for h in e.path.hops]
    return any(f.source.kind != "wiki" for h in hops if node in (h.subject.id, h.object.id) for f in h.facts)


def _unmet(outcome: Outcome, *said: str) -> bool:
    """Return True if conditions other than times remain, apart from the words of a name or half."""
    words = set(fold(" ".join(said)).split())
    return any(not words.issuperset(fold(c).split()) and not _TIME.search(c) for c in outcome.analysis.conditions)


def _from_graph(context: Context, outcome: Outcome) -> Outcome | None:
    """Return what pages state about the things that the graph leads to from the only name of the question."""
    placed = {(m.start, m.end) for m in outcome.mentions if m.chosen is not None and m.start >= 0}
    topics = set(outcome.analysis.topics)
    if len(placed) != 1 or len(topics) != 1:
        return None
    start, end = placed.pop()
    asked = halves(context.question, (start, end))
    if not asked.meet or _unmet(outcome, context.question[start:end]):
        return None
    seen = [e for x in outcome.explorations for e in x.evidence]
    hops = first_hops(context, seen, outcome.analysis.topics, asked)
    if asked.implied:
        hops = [h for h in hops if _holds(context, h.object) and not _holds(context, h.subject)]
    tried = [endings(context, hop, asked) for hop in hops]
    best = max((t for t in tried if t.findings), key=lambda t: t.findings[0].likeness, default=None)
    return None if best is None else _ended(context, outcome, asked, best)


def _holds(context: Context, node: Node) -> bool:
    """Return True for a country or continent: a part shares its language, a trade partner does not."""
    return bool(_AREAS & kinds_of_thing(context.entities([node.id])[node.id]))


def _ended(context: Context, outcome: Outcome, asked: Halves, ending: Ending) -> Outcome:
    """Return the answer with the sentence as the second hop of each path."""
    found: dict[str, TextFinding] = {}
    for f in ending.findings:
        found.setdefault(f.value, f)
    evidence = tuple(_to(context, ending.hop, asked, f) for f in found.values())
    values = tuple(value_of(e.answers[0], f.likeness) for e, f in zip(evidence, found.values(), strict=True))
    conclusion = uncontested(values, evidence)
    confidence = round(ending.findings[0].likeness * _JOINING, 4)
    return _instead(outcome, conclusion, confidence, asked, ending.hop.object)


def _to(context: Context, hop: Hop, asked: Halves, finding: TextFinding) -> Evidence:
    """Return evidence with the hop of the graph, and the sentence as a second hop."""
    node = context.entities([finding.node])[finding.node].node if finding.node else _literal(finding.value)
    words = " ".join(asked.outer.replace(MARK, "").split())
    passage = finding.passage
    path = Path((hop, Hop(hop.object, words, words, node)), passage)
    scores = Scores(finding.likeness, f1=passage.source.rho, cross=finding.likeness)
    return Evidence(path, scores, PHASE, True, "read on a page", (node,), (), passage.text)


def _joined(context: Context, outcome: Outcome, name: str, asked: Halves, bridge: Bridge, answered: Outcome) -> Outcome:
    """Return the answer with the sentence as the first hop of each path."""
    first = Hop(_literal(name), asked.inner, asked.inner, bridge.node)
    evidence = tuple(_from(first, bridge, e) for e in answered.conclusion.evidence)
    supporting, kinds = supporters_of(evidence)
    supporting = dict(sorted(supporting.items(), key=lambda s: s[1])[:1])
    conclusion = replace(answered.conclusion, evidence=evidence, supporting=supporting, kinds=kinds)
    confidence = round(answered.judgement.confidence * _JOINING, 4)
    return _instead(outcome, conclusion, confidence, asked, bridge.node)


def _instead(outcome: Outcome, conclusion: Conclusion, confidence: float, asked: Halves, between: Node) -> Outcome:
    """Return the outcome with the conclusion that was joined at a thing."""
    counts = {"paths": len(conclusion.evidence)}
    exploration = Exploration(PHASE, (between,), asked.outer, 2, counts, conclusion.evidence)
    return replace(
        outcome,
        conclusion=conclusion,
        judgement=Judgement(True, confidence, ""),
        explorations=(*outcome.explorations, exploration),
        read=True,
        planned=False,
        steps=(),
        unchecked=_times_left(outcome.analysis.conditions, conclusion),
    )


def _times_left(conditions: Sequence[str], conclusion: Conclusion) -> tuple[str, ...]:
    """Return times of the question that neither a path nor its sentence mentions."""
    said = " ".join(f"{e.path.text} {e.sentence}" for e in conclusion.evidence)
    return tuple(c for c in conditions if any(year not in said for year in _TIME.findall(c)))


def _from(first: Hop, bridge: Bridge, evidence: Evidence) -> Evidence:
    cited = bridge.sentence.cited
    path = Path((first, *evidence.path.hops), cited)
    return replace(evidence, path=path, phase=PHASE, origins=(), sentence=cited.text)


def _literal(name: str) -> Node:
    return literal_node(quote_with_backslashes(name))
