"""Yes, no or unknown: whether a thing is in a set, and how two values compare."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Final

import numpy as np

from hydra_kg.language.morphology import base_verbs
from hydra_kg.phrases import arrow, phrase
from hydra_kg.plan import model as m
from hydra_kg.steps.graph.cut_hops import reversed_code
from hydra_kg.steps.operators.claims.claim_denial import (
    listed_apart,
    name_of,
    names_of,
    one_parent,
    only,
    plainly,
    rows_of_codes,
    single,
    spread,
    within_one_another,
)
from hydra_kg.steps.operators.claims.claim_wording import won
from hydra_kg.steps.operators.claims.claimed_kinds import of_kind
from hydra_kg.steps.operators.claims.claimed_things import dead, made_person, some
from hydra_kg.steps.operators.operand_port import Sets
from hydra_kg.steps.operators.relations.noun_filter import same_kind
from hydra_kg.steps.operators.relations.place_filter import Placement
from hydra_kg.steps.operators.relations.relation_matching import follow
from hydra_kg.steps.operators.relations.relation_wording import being
from hydra_kg.steps.operators.results import thresholds
from hydra_kg.steps.operators.results.executed_plan import AssertionResult, Truth
from hydra_kg.steps.operators.results.found_entities import Surety, ThingSet, Valued, amount
from hydra_kg.steps.operators.results.literal_intervals import Span, before
from hydra_kg.steps.operators.scalars import Missing, scalar
from hydra_kg.util.cancelling import check_between

_OPPOSITE: Final[dict[Truth, Truth]] = {"yes": "no", "no": "yes", "unknown": "unknown"}


def assertion(sets: Sets, op: m.Assertion) -> AssertionResult:
    """Return whether an assertion is true."""
    match op:
        case m.Holds():
            return _holds(sets, op)
        case m.Untrue():
            found = assertion(sets, op.of)
            return replace(found, truth=_OPPOSITE[found.truth])
        case m.Every():
            return _every(sets, op)
        case m.Only():
            return only(sets, op)
        case m.Some():
            return some(sets, op)
        case m.Among():
            if op.today and (over := dead(sets, op)) is not None:
                return over
            found = made_person(sets, op) or _among(sets, op)
            if found.truth != "unknown":
                return found
            return of_kind(sets, op) or won(sets, op) or found


def _every(sets: Sets, op: m.Every) -> AssertionResult:
    """Return no if one part is false, yes if all parts are true."""
    done = [assertion(sets, part) for part in op.parts]
    if (no := next((d for d in done if d.truth == "no"), None)) is not None:
        return no
    truth: Truth = "yes" if all(d.truth == "yes" for d in done) else "unknown"
    return AssertionResult(
        truth,
        "; ".join(d.words for d in done if d.words),
        tuple(way for d in done for way in d.ways),
        tuple(step for d in done for step in d.steps),
        reduce(Surety.worst, [d.surety for d in done]),
        tuple(u for d in done for u in d.unmet),
        all(d.understood for d in done),
    )


def _holds(sets: Sets, op: m.Holds) -> AssertionResult:
    left, right = scalar(sets, op.left), scalar(sets, op.right)
    if isinstance(left, Missing) or isinstance(right, Missing):
        missing = left if isinstance(left, Missing) else right
        assert isinstance(missing, Missing)
        reason, decided = missing.reason, missing.decided
        return AssertionResult("unknown", reason, (), missing.steps, unmet=missing.unmet, understood=decided)
    ways, steps = left.ways + right.ways, left.steps + right.steps
    found = {_compared(a, op.op, b) for a in (left.span, *left.rivals) for b in (right.span, *right.rivals)}
    truth: Truth = found.pop() if len(found) == 1 else "unknown"
    if isinstance(op.left, m.Difference) and left.span == right.span and op.op != "=":
        truth = "unknown"  # both lived as many full years
    words = f"{left.words or left.shown}, {right.words or right.shown}"
    step = m.Step("holds", f"{words}: {truth}", 2, 1)
    settled = {_compared(a, op.op, b) for a in left.possible for b in right.possible} == {truth}
    unmet = tuple(u for v in (left, right) for u in v.unmet if not (settled and u in v.several))
    surety, doubt = left.surety.worst(right.surety), left.doubt + right.doubt
    return AssertionResult(truth, words, ways, (*steps, step), surety, unmet, doubt=doubt)


def _compared(left: Span, op: str, right: Span) -> Truth:
    if op == "=":
        return "yes" if left.agrees(right) else "no"
    less = before(left, right) if op == "<" else before(right, left)
    return "unknown" if less is None else "yes" if less else "no"


def _among(sets: Sets, op: m.Among) -> AssertionResult:
    items = [f for f in sets.readings(op.item) if len(f)]
    readings = sets.readings(op.of)
    if not items:
        return AssertionResult("unknown", "no relation of these sources states it", understood=False)
    by_place = sets.placement(op.of, items[0])
    if by_place is not None and len(by_place.inside):
        return _stated(sets, op, by_place.inside, int(by_place.inside.ids[0]))
    if by_place is not None and (elsewhere := _elsewhere(sets, items[0], by_place)) is not None:
        return elsewhere
    open_ = by_place is not None and bool(by_place.inside.unknown)  # its place may lie there, and nothing says so
    if isinstance(op.of, m.Where) and op.of.of == op.item and (otherwise := _otherwise(sets, op.of)) is not None:
        return otherwise
    if not readings:
        words = by_place.inside.reason if by_place is not None and open_ else "no relation of these sources states it"
        return AssertionResult("unknown", words, understood=open_)
    wanted = np.unique(np.concatenate([f.ids for f in items]))
    best = readings[0].score
    for found in check_between(readings, every=1):
        inside = np.intersect1d(found.ids, wanted)
        near = found.score >= best - thresholds.HOLDS_NEAR and found.surety.relevance >= thresholds.HOLDS_RELEVANCE
        if len(inside) and near:
            if found is not readings[0] and same_kind(sets.context, items[0].ids, readings[0].ids):
                denied = _denied(sets, op, items[0], readings[0])  # who lived in one city was born in another
                if denied.truth == "no":
                    return denied
            if found.legs(int(inside[0])):
                return _stated(sets, op, found, int(inside[0]))
    if by_place is not None and open_:
        step = m.Step("among", f"{_belongs(op, items[0].words, readings[0])}: not stated", len(readings[0]), 0)
        around = by_place.inside
        return AssertionResult("unknown", around.reason, (), (*around.steps, step), around.surety)
    denied = _denied(sets, op, items[0], readings[0])
    if denied.truth == "no":
        return denied
    return listed_apart(sets, op, items[0], readings[0]) or denied


def _the_one(found: ThingSet) -> int | None:
    """Return the only thing of a set, or of two the one that more sources state; None for any other set."""
    if not 0 < len(found) <= _TWO:
        return None
    sources = {n: len({load for leg in found.legs(n)[-1:] for load, _ in leg.handles}) for n in found.ids.tolist()}
    first, *others = sorted(sources, key=lambda n: -sources[n])
    return None if others and sources[others[0]] == sources[first] else first


_TWO: Final = 2


def _otherwise(sets: Sets, op: m.Where) -> AssertionResult | None:
    """Return no if a stated value fails the condition: born in 1947 is not in the fifties."""
    found = sets.best(op)
    if found is None or len(found) or found.unknown or found.unmet or op.condition.op == "exists":
        return None
    if op.condition.op == "lacks":  # whoever has a date of death is not alive
        having = sets.best(replace(op, condition=replace(op.condition, op="exists")))
        node = int(having.ids[0]) if having is not None and len(having) == 1 else None
        if having is None or node is None:
            return None
        return AssertionResult("no", having.words, ((having.legs(node), node),), having.steps, having.surety)
    stated = next((t for t in reversed(found.trails) if isinstance(t, Valued)), None)
    if stated is None or len(stated.values) != 1:
        return None
    ((node, value),) = stated.values.items()
    words = f"stated otherwise: {name_of(sets, node)}: {amount(value.literal)}"
    return AssertionResult("no", words, (((value.leg,), node),), found.steps, found.surety)


def _elsewhere(sets: Sets, item: ThingSet, by_place: Placement) -> AssertionResult | None:
    """Return no if a relation has one place, and that lies in another area of the kind."""
    if not single(sets, by_place.codes[0]) or spread(sets, item.ids):
        return None
    node = next((n for n in item.ids.tolist() if n in by_place.elsewhere), None)
    if node is None:
        return None
    legs = by_place.elsewhere[node]
    lines = names_of(sets, np.array([leg.object for leg in legs], np.int64))
    words = f"stated otherwise: {name_of(sets, node)}: {lines}"
    step = m.Step("among", words, 1, 0)
    return AssertionResult("no", words, ((legs, node),), (*by_place.inside.steps, step), by_place.inside.surety)


def _stated(sets: Sets, op: m.Among, found: ThingSet, node: int, *, name: str = "") -> AssertionResult:
    """Return yes for a member, with the hops that lead to it; ``name`` is given if it differs from the value's name."""
    words = _belongs(op, name or name_of(sets, node), found)
    steps = (*found.steps, m.Step("among", f"{words}: yes", len(found), 1))
    return AssertionResult("yes", f"stated: {words}", ((found.legs(node), node),), steps, found.surety, found.unmet)


def _belongs(op: m.Among, item: str, found: ThingSet) -> str:
    """Return what is asked of an item in words.

    Examples are "Ada Lindqvist directed Low Water" and "Salt among films directed by Tom Reed".
    """
    auxiliary = being(op.of) if isinstance(op.of, m.Related) else "among"
    first = found.words.split(" ", 1)[0]
    if first.endswith("s") and first[:-1] in base_verbs():
        auxiliary = ""  # "was Ann in Salt": Ann acts in Salt
    return " ".join([item, auxiliary, found.words]).replace("  ", " ")


def _denied(sets: Sets, op: m.Among, item: ThingSet, found: ThingSet) -> AssertionResult:
    """Return ``no`` if a single-valued relation states another value, else unknown.

    The key of a table's row counts as the row.
    """
    rows = rows_of_codes(sets, item, found) if len(found) == len(item) == 1 else []
    if rows and rows[0] in item.ids:
        return _stated(sets, op, found, int(found.ids[0]), name=item.words)
    stated = names_of(sets, np.array(rows, np.int64) if rows else found.ids)
    step = m.Step("among", f"{_belongs(op, item.words, found)}: not stated", len(found), 0)
    words, steps = _not_among(item.words, found.words, stated) if stated else found.reason, (*found.steps, step)
    unknown = AssertionResult("unknown", words, (), steps, found.surety, found.unmet)
    if not isinstance(op.of, m.Related) or found.surety.relevance < thresholds.DENIES_RELEVANCE or not found.codes:
        return unknown
    parent = one_parent(sets, op.of.noun, found)
    if not parent and not plainly(sets, op.of, found):
        return unknown
    one = parent or single(sets, found.codes[0])
    several = op.of.phrase.endswith(" in _")  # one of those founded in a country
    apart = one and not several and not within_one_another(sets, item.ids, found.ids)
    if apart and (node := _the_one(found)) is not None:
        words = f"stated otherwise: {found.words}: {stated}"
        ways = ((found.legs(node), node),)
        return AssertionResult("no", words, ways, (*found.steps, step), found.surety, found.unmet)
    return _denied_from(sets, op, item, found) or unknown


def _not_among(item: str, asked: str, stated: str) -> str:
    """Return why it is open whether an item is among what is stated."""
    if stated in (asked, item):
        return f"no source states that {item} is {asked}"
    return f"the sources do not name {item} here, but {stated} ({asked})"


def _denied_from(sets: Sets, op: m.Among, item: ThingSet, found: ThingSet) -> AssertionResult | None:
    """Return the same as :func:`_denied`, seen from the item."""
    assert isinstance(op.of, m.Related)
    code = reversed_code(found.codes[0], sets.context.space.base)
    if not single(sets, code) or spread(sets, item.ids):
        return None
    other = follow(sets.context, item, tuple(reversed_code(c, sets.context.space.base) for c in found.codes))
    if other is None or not len(other):
        return None
    asked = sets.best(op.of.of)
    if asked is None or np.intersect1d(other.ids, asked.ids).size or within_one_another(sets, asked.ids, other.ids):
        return None
    node = int(other.ids[0])
    space = sets.context.space
    leads = arrow(phrase(space.key(code), space.text(code)))
    words = f"stated otherwise: {item.words} {leads} {names_of(sets, other.ids)}"
    step = m.Step("among", words, len(other), 0)
    return AssertionResult("no", words, ((other.legs(node), node),), (*found.steps, step), found.surety, found.unmet)
