"""Executes a plan from its root: answers with evidence, or the reason why there are none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from hydra_kg.domain import AnswerValue, Entity, Evidence, Node
from hydra_kg.execution.evidence_hops import Leg
from hydra_kg.plan import model as m
from hydra_kg.steps.answering.disagreement import merge_copies, weighed
from hydra_kg.steps.answering.literal_paths import literal_node
from hydra_kg.steps.answering.results import Conclusion, named, uncontested
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.assertions import assertion
from hydra_kg.steps.operators.entity_operators import Worked
from hydra_kg.steps.operators.results.executed_plan import AssertionResult, Executed, evidence_for
from hydra_kg.steps.operators.results.found_entities import Counted, Surety, ThingSet, Valued, may_belong
from hydra_kg.steps.operators.scalars import COUNTED, Missing, Scalar, scalar

_DECIDED: Final = 0.5  # surety above which a plan without answers decides that there are none
_CONFIDENCE_START: Final = -2.6  # log-odds of an answer of no surety; with those below it
_CONFIDENCE_RELEVANCE: Final = 2.4  # log-odds for a relation that surely says the phrase
_CONFIDENCE_LEAD: Final = 1.2  # log-odds for one that no other comes near to
_CONFIDENCE_KINDS: Final = 1.4  # log-odds for objects of the kind asked for
_CONFIDENCE_COVERAGE: Final = 1.2  # log-odds for values that are known of all
Way = tuple[tuple[Leg, ...], int]

_PAGE: Final = 1_000
"""Entities that are read at a time."""


def execute(context: Context, plan: m.Plan) -> Executed | None:
    """Carry out a plan; None if the store lacks a sufficiently certain relation or value."""
    if plan.open:
        reason = "the question asks for everything else, which no source lists"
        return Executed(reason=reason, unmet=plan.unused, decided=False)
    sets = Worked(context)
    match plan.root:
        case m.Holds() | m.Among() | m.Some() | m.Every() | m.Only() | m.Untrue():
            done = _asserted(context, assertion(sets, plan.root))
        case (
            m.Value()
            | m.Count()
            | m.Difference()
            | m.Constant()
            | m.Today()
            | m.Aggregate()
            | m.Ratio()
            | m.LongestRun()
        ):
            done = _scalar(context, scalar(sets, plan.root))
        case _:
            found = sets.best(plan.root)
            if found is None:
                return None
            done = _things(context, found)
    if not done.decided and not done.steps and not done.conclusion.answers:
        return None
    return replace(done, unmet=tuple(dict.fromkeys((*done.unmet, *plan.unused))), query=plan.root)


def _confidence_of(context: Context, surety: Surety) -> float:
    """Return the probability that an answer found this way is right."""
    x = _CONFIDENCE_START + _CONFIDENCE_RELEVANCE * surety.relevance + _CONFIDENCE_LEAD * surety.lead
    x += _CONFIDENCE_KINDS * surety.kinds
    x += _CONFIDENCE_COVERAGE * surety.coverage
    return round(1 / (1 + math.exp(-x)), 4)


def _things(context: Context, found: ThingSet) -> Executed:
    known = _first_named(context, found.ids.tolist())
    shown = list(known)
    decided = not found.unmet and found.surety.relevance > _DECIDED
    if not shown:
        return Executed(
            steps=found.steps,
            confidence=0.0,
            unmet=found.unmet,
            reason=found.reason or f"no {found.words} is stated",
            decided=decided,
            surety=found.surety,
        )
    ways: list[tuple[Sequence[Leg], tuple[Node, ...]]] = [(found.legs(n), (known[n].node,)) for n in shown]
    for values in (t.values for t in found.trails if isinstance(t, Valued)):
        ways += [((values[n].leg,), ()) for n in found.compared if n not in shown and n in values]
    for trail in (t for t in found.trails if isinstance(t, Counted)):
        for n in dict.fromkeys((*shown, *found.compared)):
            ends = (known[n].node,) if n in shown else ()
            ways += [((leg,), ends) for leg in trail.counted(n, COUNTED)]
    confidence = _confidence_of(context, found.surety)
    answers = [AnswerValue(known[n].node.name, known[n].node, None, known[n].keys, confidence) for n in shown]
    doubt = (*found.doubt, *may_belong(found))
    return _executed(context, answers, ways, found.surety, found.steps, found.unmet, found.computation, doubt)


def _first_named(context: Context, ids: Sequence[int]) -> dict[int, Entity]:
    """Return as many first named entities as are shown, without reading the rest of a hub."""
    most = context.settings.answering.max_answers
    found: dict[int, Entity] = {}
    for at in range(0, len(ids), _PAGE):
        known = context.entities(ids[at : at + _PAGE])
        found |= {n: known[n] for n in ids[at : at + _PAGE] if named(known[n])}
        if len(found) >= most:
            break
    return dict(islice(found.items(), most))


def _scalar(context: Context, value: Scalar | Missing) -> Executed:
    if isinstance(value, Missing):
        return Executed(steps=value.steps, unmet=value.unmet, reason=value.reason, decided=value.decided)
    literal = value.literal or f'"{value.shown}"^^xsd:integer'
    end = literal_node(literal)
    ways = _leading(context, value.ways, end)
    name = end.name if value.literal else value.shown
    answer = AnswerValue(name, None, literal, (), _confidence_of(context, value.surety))
    return _executed(context, [answer], ways, value.surety, value.steps, value.unmet, value.words, value.doubt)


def _asserted(context: Context, result: AssertionResult) -> Executed:
    if result.truth == "unknown":
        return Executed(
            steps=result.steps, unmet=result.unmet, reason=result.words, decided=result.understood, surety=result.surety
        )
    literal = f'"{"true" if result.truth == "yes" else "false"}"^^xsd:boolean'
    ways = _leading(context, result.ways, literal_node(literal))
    answer = AnswerValue(result.truth, None, literal, (), _confidence_of(context, result.surety))
    return _executed(context, [answer], ways, result.surety, result.steps, result.unmet, result.words, result.doubt)


def _leading(context: Context, ways: Sequence[Way], end: Node) -> list[tuple[Sequence[Leg], tuple[Node, ...]]]:
    return [(legs, (end,)) for legs, _ in ways]


def _executed(
    context: Context,
    answers: Sequence[AnswerValue],
    ways: Sequence[tuple[Sequence[Leg], tuple[Node, ...]]],
    surety: Surety,
    steps: tuple[m.Step, ...],
    unmet: tuple[str, ...],
    words: str,
    doubt: tuple[str, ...] = (),
) -> Executed:
    every = evidence_for(context, ways, relevance=surety.relevance)
    independent, representatives = merge_copies(context, every)
    conclusion = _concluded(context, answers, independent, representatives, words)
    in_doubt = tuple(dict.fromkeys(doubt))
    return Executed(conclusion, steps, _confidence_of(context, surety), unmet, "", True, surety, in_doubt)


def _concluded(
    context: Context,
    answers: Sequence[AnswerValue],
    evidence: Sequence[Evidence],
    representatives: Mapping[str, str],
    words: str,
) -> Conclusion:
    if words or not evidence:
        return uncontested(answers, evidence, computation=words)
    return weighed(context, answers, evidence, representatives)
