"""Compare the answer of a path with that of the plan's relations, and adjust the confidence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, Literal

import numpy as np

from hydra_kg.domain import Analysis, Judgement
from hydra_kg.plan.model import Plan, Related
from hydra_kg.plan.walk import operators, relations
from hydra_kg.questions.coverage import missed_class, other_kind, unmet_conditions
from hydra_kg.questions.plan_answers import PHASE
from hydra_kg.steps.answering.results import Conclusion
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators import execute
from hydra_kg.steps.operators.listed_answers import keep_asked_kind
from hydra_kg.steps.operators.relations.disputed_places import to_holders
from hydra_kg.steps.operators.relations.noun_filter import fit
from hydra_kg.steps.operators.relations.relation_fit import names_own_role, only_formerly
from hydra_kg.steps.operators.relations.relation_matching import COUNTRY
from hydra_kg.steps.operators.results.executed_plan import Executed
from hydra_kg.steps.own_graphs.relation_roles import contradicts_direction
from hydra_kg.steps.retrieval.entity_types import kinds_named, several
from hydra_kg.strategies.base import Outcome

_PATH_STANDS: Final = 0.75  # confidence from which a path stands where the plan leads elsewhere, 0 to 1
_PLAN_RELEVANCE: Final = 0.9  # how surely these relations must say what is asked, 0 to 1
_TYPED_RELEVANCE: Final = 0.75  # the same where all their ends are of the kind that the question names
_PLAN_LEAD: Final = 0.4  # how far they must be ahead of others, 0 to 1
_PLAN_KINDS: Final = 0.5  # share of their ends that must be of the kind asked for, 0 to 1
_PLAN_CONFIDENCE: Final = 0.6  # most confidence in the plan where the path says otherwise
_ODDS_SLOPE: Final = 0.67  # weight of the log-odds of confidence in a path, beside the plan; fitted, with odds_*
_ODDS_START: Final = -0.69  # what is added to them
_ODDS_EQUAL: Final = 1.81  # added where path and plan give the same answers
_ODDS_FIRST: Final = 0.29  # added where the plan gives the path's first answer too
_ODDS_OVERLAP: Final = 0.29  # added where they have other answers in common
_ODDS_SILENT: Final = 0.0  # added where the plan's relations give nothing
_ODDS_UNPLANNED: Final = -0.15  # added where there is no plan of one relation
_ODDS_DIFFER: Final = -0.54  # added where they have no answer in common
Agreement = Literal["equal", "first", "overlap", "silent", "unplanned", "differs"]
"""How the results of a path and a plan agree."""


def compare_with_plan(context: Context, outcome: Outcome) -> Outcome:
    """Return the outcome of a search, compared with what the plan's relations give.

    A list gets the answers of the other sources, because a path is from one source. If both give the same answer, it is
    surer than the path's alone. If they differ, the plan's is given if the path is not sure and the plan's relation
    says just what was asked. Otherwise the path's is given, with less confidence.
    """
    asked, end = outcome.analysis, outcome.conclusion
    unfit = uses_inverse_relation(asked, end) or is_no_time(asked, end)
    unfit |= _states_past(asked, end)
    if asked.plan is not None and isinstance(asked.plan.root, Related) and asked.plan.root.phrase.endswith("in _"):
        kind = fit(context, np.array([a.node.id for a in end.answers if a.node is not None], np.int64), asked.plan.noun)
        unfit |= kind is not None and bool(kind.other.all())  # a national team is no club
        unfit |= _leads_out(context, end)
    if unfit and not context.agent.reads:
        outcome = replace(outcome, judgement=replace(outcome.judgement, sufficient=False))
    plan, found = outcome.analysis.plan, outcome.judgement
    if plan is None or not context.settings.answering.plan or not isinstance(plan.root, Related) or operators(plan):
        alone = context.settings.answering.plan and found.sufficient and not context.agent.reads
        return _surer(context, outcome, "unplanned") if alone else outcome
    ours = {a.node.id for a in outcome.conclusion.answers if a.node is not None}
    values = len(ours) < len(outcome.conclusion.answers)
    if found.sufficient and (not ours or values or outcome.analysis.wanted):
        return outcome
    with context.phase(PHASE):
        done = execute(context, plan)
    if not found.sufficient:
        if done is None or done.unmet or context.agent.reads:
            return outcome
        theirs = {a.node.id for a in done.conclusion.answers if a.node is not None}
        same = bool(ours) and ours == theirs and plan.answer_type != "date"
        return _instead(context, outcome, done) if _says(context, done, plan) or same else outcome
    theirs = {a.node.id for a in done.conclusion.answers if a.node is not None} if done and not done.unmet else set()
    if done is None or not theirs:
        return outcome if context.agent.reads else _surer(context, outcome, "silent")
    if context.agent.reads:
        return _completed(context, outcome, done, plan)
    first = outcome.conclusion.answers[0].node
    if not ours & theirs:
        return _differing(context, outcome, done, plan)
    how: Agreement = "equal" if ours == theirs else "first" if first is not None and first.id in theirs else "overlap"
    one_country = kinds_named(plan.noun) == COUNTRY and not _asks_for_several(plan)
    if theirs < ours and (relations(plan.root) > 1 or one_country) and _says(context, done, plan):
        return _instead(context, outcome, done)  # the country where he died is one of those whose citizen he was
    whole = _completed(context, outcome, done, plan)
    if how == "equal" and done.surety.relevance >= _PLAN_RELEVANCE:
        whole = _shown_by_plan(whole, done)
    return _surer(context, whole, how)


def _shown_by_plan(outcome: Outcome, done: Executed) -> Outcome:
    """Return the outcome with the plan's paths, which say what was asked, unless it has one of them."""
    asked = {e.path.text for e in done.conclusion.evidence}
    facts = {f for e in done.conclusion.evidence for h in e.path.hops for f in h.facts}
    own = any(
        e.path.text in asked or any(facts.issuperset(h.facts) for h in e.path.hops if h.facts)
        for e in outcome.conclusion.evidence
    )
    if own:
        return outcome
    return replace(outcome, conclusion=done.conclusion, steps=done.steps, query=done.query)


def _differing(context: Context, outcome: Outcome, done: Executed, plan: Plan) -> Outcome:
    """Return the outcome if a path and the plan lead to different things."""
    sure = outcome.judgement.confidence >= _PATH_STANDS
    stands = sure and not unmet_conditions(context, outcome.analysis, outcome.conclusion)
    if not stands and _says(context, done, plan):
        return _instead(context, outcome, done)
    return _surer(context, outcome, "differs")


def _says(context: Context, done: Executed, plan: Plan) -> bool:
    """Return whether the plan's relations say just what is asked."""
    sure = done.surety
    typed = bool(kinds_named(plan.noun)) and sure.kinds == 1.0
    right = sure.relevance >= (_TYPED_RELEVANCE if typed else _PLAN_RELEVANCE) and sure.kinds >= _PLAN_KINDS
    return right and sure.lead >= _PLAN_LEAD and plan.answer_type != "date" and bool(done.conclusion.answers)


def _instead(context: Context, outcome: Outcome, done: Executed) -> Outcome:
    """Return the plan's result in place of a path, with sufficient confidence, if it is of the asked kind."""
    limits = context.settings.answering
    judgement = Judgement(True, min(done.confidence, _PLAN_CONFIDENCE), "")
    if judgement.confidence < limits.threshold or other_kind(context, outcome.analysis, done.conclusion):
        return outcome
    if missed_class(context, [a.node.id for a in done.conclusion.answers if a.node is not None]):
        return outcome
    end = keep_asked_kind(context, outcome.analysis, done.conclusion)
    return replace(outcome, conclusion=end, judgement=judgement, steps=done.steps, query=done.query)


def _surer(context: Context, outcome: Outcome, how: Agreement) -> Outcome:
    """Adjust confidence by how two readings agree (docs/adr/0043-two-readings-of-one-question.md)."""
    odds: Mapping[Agreement, float] = {
        "equal": _ODDS_EQUAL,
        "first": _ODDS_FIRST,
        "overlap": _ODDS_OVERLAP,
        "silent": _ODDS_SILENT,
        "unplanned": _ODDS_UNPLANNED,
        "differs": _ODDS_DIFFER,
    }
    c = min(max(outcome.judgement.confidence, 1e-3), 1 - 1e-3)
    x = _ODDS_SLOPE * math.log(c / (1 - c)) + _ODDS_START + odds[how]
    return replace(outcome, judgement=replace(outcome.judgement, confidence=round(1 / (1 + math.exp(-x)), 4)))


def _completed(context: Context, outcome: Outcome, done: Executed, plan: Plan) -> Outcome:
    """Add all answers that the sources together state, if a question asks for several things or several are stated.

    Such a question asks for the things in one relation to one name ("which films did _ direct").

    The answers of the path come first, as far as the relation of the plan states them too. That relation has the same
    name in every source. The outcome stays as it is if the plan's relation finds less than half of the path's answers,
    unless it is the relation of the path and says just what is asked.
    """
    end, found = outcome.conclusion, done.conclusion
    ours = {a.node.id for a in end.answers if a.node is not None}
    theirs = {a.node.id: a for a in found.answers if a.node is not None}
    confirmed = bool(ours & theirs.keys()) and _says(context, done, plan) and _same_relation(end, found)
    lists_more = confirmed and ours < theirs.keys() and (len(ours) > 1 or plan.answer_type == "person")
    if not lists_more and not (_asks_for_several(plan) and (confirmed or 2 * len(ours & theirs.keys()) >= len(ours))):
        return outcome
    common = tuple(a for a in end.answers if a.node is not None and a.node.id in theirs)
    known = {a.name for a in common}
    more = {n: a for n, a in theirs.items() if n not in ours and a.name not in known}
    answers = {a.node.id for a in (*common, *more.values()) if a.node is not None}
    before = tuple(e for e in end.evidence if any(n.id in answers for n in e.answers))
    paths = tuple(e for e in found.evidence if any(n.id in more for n in e.answers))
    most = context.settings.answering.max_answers
    whole = replace(end, answers=(*common, *more.values())[:most], evidence=(*before, *paths)[:most])
    return replace(outcome, conclusion=whole)


def _same_relation(path: Conclusion, plan: Conclusion) -> bool:
    """Return whether a path's last relation is one of the plan's.

    If so, answers of the path alone are of another kind.
    """
    stated = {e.path.hops[-1].predicate for e in plan.evidence if e.path.hops}
    return any(e.path.hops and e.path.hops[-1].predicate in stated for e in path.evidence if e.answers)


def _asks_for_several(plan: Plan) -> bool:
    return isinstance(plan.root, Related) and several(plan.root.noun)


def uses_inverse_relation(analysis: Analysis, conclusion: Conclusion) -> bool:
    """Return True if paths state the inverse of what is asked: "influenced by", or "student of" for "students of"."""
    root = analysis.plan.root if analysis.plan is not None else None
    hops = [e.path.hops for e in conclusion.evidence if e.answers]
    if not isinstance(root, Related) or relations(root) != 1 or not hops or any(len(h) != 1 for h in hops):
        return False
    said = [(root.phrase, h[0].text) for h in hops]
    return all(contradicts_direction(*both) for both in said) or all(names_own_role(*both) for both in said)


def is_no_time(analysis: Analysis, conclusion: Conclusion) -> bool:
    """Return True if a date or a year is asked for and no answer is one, such as "When was it released?" on DVD."""
    if analysis.answer_type != "date" or not conclusion.answers:
        return False
    from hydra_kg.steps.schema.answer_class import is_time

    return not any(map(is_time, conclusion.answers))


def _states_past(analysis: Analysis, conclusion: Conclusion) -> bool:
    """Return True if all paths state what was once so, and the question does not ask for that."""
    hops = [h.text for e in conclusion.evidence if e.answers for h in e.path.hops[-1:]]
    return bool(hops) and all(only_formerly(analysis.question, text) for text in hops)


def _leads_out(context: Context, conclusion: Conclusion) -> bool:
    """Return True if all paths only lead to what the named place is in: Europe is not in Denmark."""
    keys = {context.space.predicates.keys[p] for p in to_holders(context)}
    hops = [e.path.hops for e in conclusion.evidence if e.answers]
    return bool(hops) and all(h and all(hop.predicate in keys for hop in h) for h in hops)
