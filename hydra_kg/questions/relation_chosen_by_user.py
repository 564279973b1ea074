"""Answer with what is stated of a given topic by a relation that a person chose: no words of the question are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from hydra_kg.citations import label_of
from hydra_kg.domain import Analysis, AnswerValue, Entity, Mention, Predicates
from hydra_kg.errors import NotFoundError, UsageError
from hydra_kg.execution.evidence_hops import Leg
from hydra_kg.plan.model import Named, Related
from hydra_kg.questions.plan_outcome import plan_outcome
from hydra_kg.steps.answering.disagreement import merge_copies, rank_by_votes, weighed
from hydra_kg.steps.answering.literal_paths import literal_node
from hydra_kg.steps.answering.results import NOTHING, Conclusion, named, uncontested
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.reachable_values import MOST, Handles, Legs, Way, ways_from, words_of
from hydra_kg.steps.linking.entity_linking import mentions_of
from hydra_kg.steps.operators.results.executed_plan import PHASE, Executed, evidence_for
from hydra_kg.strategies.base import Outcome
from hydra_kg.text.literals import literal_text, says_more

_CONFIDENCE: Final = 0.97
"""Confidence that values are right if a person chose their relation: as of a plan that is sure of every choice."""

_FactHandles = tuple[tuple[int, int], ...]


def answer_by_relation(context: Context, relation: str) -> Outcome:
    """Return what is stated of the only given topic by a relation, a key as ``GET /v1/relations`` lists it.

    Relations of other loads that are worded the same are followed too. Raise NotFoundError if no load has the
    relation, UsageError unless exactly one topic is given.
    """
    if len({topic.node for topic in context.topics}) != 1:
        raise UsageError("A relation is followed from one topic.", remedy="Give one id as topic.")
    predicates, topic = context.snapshot.predicates(), context.topics[0].node
    legs = _legs_named(predicates, relation)
    words = words_of(predicates, legs)
    with context.phase(PHASE):
        known = context.entities([topic])[topic]
        found = _stated(context, predicates, topic, legs)
        conclusion = _concluded(context, topic, found)
    start, said = label_of(known.node.name), f"what _ {words}"
    done = Executed(
        conclusion,
        confidence=_CONFIDENCE if conclusion.answers else 0.0,
        reason="" if conclusion.answers else f"no value is stated for “{words}” of {start}",
        decided=True,
        query=Related(Named(start, topic), said, said=said),
    )
    analysis = Analysis(question=context.question, indicator=words, topics=(topic,), d_predict=1)
    outcome = plan_outcome(
        context, _mentions(context, known), analysis, done, phase=PHASE, counts={"values": len(found)}
    )
    return replace(outcome, without_model=True)


def _legs_named(predicates: Predicates, relation: str) -> Legs:
    places = {key: place for place, key in enumerate(predicates.keys)}
    names = [(leg.removeprefix("^"), not leg.startswith("^")) for leg in relation.split("./")]
    if any(name not in places for name, _ in names):
        raise NotFoundError(f"No ready load knows {relation}.", remedy="GET /v1/relations lists those of a thing.")
    return tuple((places[name], forward) for name, forward in names)


def _mentions(context: Context, topic: Entity) -> tuple[Mention, ...]:
    """Return where the question names the topic; other words are no names, as nothing is read in them."""
    return tuple(m for m in mentions_of(context) if m.chosen is not None and m.chosen.node.id == topic.node.id)


def _stated(context: Context, predicates: Predicates, topic: int, legs: Legs) -> Handles:
    """Return the ways from the topic by a relation, and by those with the same words in loads that do not state it."""
    graph, allowed = context.snapshot.cut([topic], depth=1, budget=MOST), context.segments()
    words, found = words_of(predicates, legs), dict[Way, list[tuple[int, int]]]()
    for way, handles in ways_from(context.snapshot, graph, topic).items():
        if words_of(predicates, way.legs) == words:
            found[way] = [handle for handle in handles if allowed is None or allowed[handle[0]]]
    own = {segment for way, handles in found.items() if way.legs == legs for segment, _ in handles}
    return {
        way: handles
        for way, handles in found.items()
        if handles and (way.legs == legs or own.isdisjoint(segment for segment, _ in handles))
    }


def _concluded(context: Context, topic: int, found: Handles) -> Conclusion:
    """Return the values, those of most sources first, then exact ones, and whether sources differ on a single one."""
    known = context.entities([way.end for way in found if isinstance(way.end, int)])
    values: dict[int | str, list[tuple[Way, _FactHandles]]] = {}
    for way, handles in found.items():
        if not isinstance(way.end, int) or named(known[way.end]):
            same = way.end if isinstance(way.end, int) else literal_text(way.end)
            values.setdefault(same, []).append((way, tuple(dict.fromkeys(handles))))
    if not values:
        return NOTHING
    texts = [value for value in values if isinstance(value, str)]
    vague = {value for value in texts if any(says_more(other, value) for other in texts)}
    shown = sorted(values, key=vague.__contains__)[: context.settings.answering.max_answers]
    rows = [_value(context, topic, values[value], known) for value in shown]
    every = evidence_for(
        context, [((leg,), (answer.node or literal_node(answer.value or ""),)) for leg, answer in rows], relevance=1.0
    )
    evidence, representatives = merge_copies(context, every)
    order = rank_by_votes(context, evidence, [1.0] * len(evidence))
    answers, evidence = [rows[place][1] for place in order], tuple(evidence[place] for place in order)
    if any(len(way.legs) > 1 for way in found):  # several statements of one kind, each with values of its own
        return uncontested(answers, evidence)
    return weighed(context, answers, evidence, representatives)


def _value(
    context: Context, topic: int, same: list[tuple[Way, _FactHandles]], known: Mapping[int, Entity]
) -> tuple[Leg, AnswerValue]:
    """Return the hop to a value with all facts that state it, and the value as an answer."""
    first, base = same[0][0], context.space.base
    legs = [2 * place + forward for place, forward in first.legs]
    code = legs[0] if len(legs) == 1 else (legs[0] + 1) * base + legs[1]
    handles = tuple(handle for _, some in same for handle in some)
    if isinstance(first.end, int):
        node = known[first.end].node
        return Leg(topic, code, first.end, handles=handles), AnswerValue(
            node.name, node, None, known[first.end].keys, _CONFIDENCE
        )
    name = literal_node(first.end).name
    return Leg(topic, code, literal=first.end, handles=handles), AnswerValue(name, None, first.end, (), _CONFIDENCE)
