"""Yes, no or unknown: whether a thing is in a set, and how two values compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Final

import numpy as np

from hydra_kg.domain import Ids
from hydra_kg.extract.reading.tokens import stem
from hydra_kg.fusion.conflicts.containment import holders
from hydra_kg.phrases import phrase
from hydra_kg.plan import model as m
from hydra_kg.steps.graph.hops import reversed_code
from hydra_kg.steps.operators.claims.existing import some
from hydra_kg.steps.operators.claims.kinds import of_kind
from hydra_kg.steps.operators.claims.lifetimes import dead, lived, together
from hydra_kg.steps.operators.claims.located import located
from hydra_kg.steps.operators.claims.origins import hails
from hydra_kg.steps.operators.reading import Sets
from hydra_kg.steps.operators.relations.alike import profile
from hydra_kg.steps.operators.relations.nouns import heads_of, same_kind
from hydra_kg.steps.operators.relations.places import Placement
from hydra_kg.steps.operators.relations.relating import follow
from hydra_kg.steps.operators.results.asserted import AssertionResult, Truth
from hydra_kg.steps.operators.results.found import Surety, ThingSet, Valued
from hydra_kg.steps.operators.results.spans import Span, before
from hydra_kg.steps.operators.results.words import amount, listed
from hydra_kg.steps.operators.scalars import Missing, scalar
from hydra_kg.text.folding import fold, tokens

_OPPOSITE: Final[dict[Truth, Truth]] = {"yes": "no", "no": "yes", "unknown": "unknown"}


def assertion(sets: Sets, op: m.Assertion) -> AssertionResult:
    """Whether an assertion holds."""
    match op:
        case m.Holds():
            return _holds(sets, op)
        case m.Untrue():
            found = assertion(sets, op.of)
            return replace(found, truth=_OPPOSITE[found.truth])
        case m.Every():
            return _every(sets, op)
        case m.Some():
            return some(sets, op)
        case m.Lived():
            return lived(sets, op)
        case m.Among():
            if op.today and (over := dead(sets, op)) is not None:
                return over
            found = hails(op, lambda way: _among(sets, way)) or _among(sets, op)
            if found.truth != "unknown":
                return found
            return of_kind(sets, op) or located(sets, op) or together(sets, op) or found


def _every(sets: Sets, op: m.Every) -> AssertionResult:
    """No where one part is not so, yes where all are."""
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
        return AssertionResult(
            "unknown", missing.reason, (), missing.steps, unmet=missing.unmet, understood=missing.decided
        )
    ways, steps = left.ways + right.ways, left.steps + right.steps
    found = {_compared(a, op.op, b) for a in (left.span, *left.rivals) for b in (right.span, *right.rivals)}
    truth: Truth = found.pop() if len(found) == 1 else "unknown"
    words = f"{left.words or left.shown}, {right.words or right.shown}"
    step = m.Step("holds", f"{words}: {truth}", 2, 1)
    return AssertionResult(
        truth, words, ways, (*steps, step), left.surety.worst(right.surety), left.unmet + right.unmet
    )


def _compared(left: Span, op: str, right: Span) -> Truth:
    if op == "=":
        return "yes" if left.agrees(right) else "no"
    less = before(left, right) if op == "<" else before(right, left)
    return "unknown" if less is None else "yes" if less else "no"


def _among(sets: Sets, op: m.Among) -> AssertionResult:
    items = [f for f in sets.readings(op.item) if len(f)]
    readings = sets.readings(op.of)
    if not items:
        return AssertionResult("unknown", "no relation of these sources says so", understood=False)
    by_place = sets.placement(op.of, items[0])
    if by_place is not None and len(by_place.inside):
        return _stated(sets, by_place.inside, int(by_place.inside.ids[0]))
    if by_place is not None and (elsewhere := _elsewhere(sets, items[0], by_place)) is not None:
        return elsewhere
    open_ = by_place is not None and bool(by_place.inside.unknown)  # its place may lie there, and nothing says so
    if isinstance(op.of, m.Where) and op.of.of == op.item and (otherwise := _otherwise(sets, op.of)) is not None:
        return otherwise
    if not readings:
        words = by_place.inside.reason if by_place is not None and open_ else "no relation of these sources says so"
        return AssertionResult("unknown", words, understood=open_)
    wanted = np.unique(np.concatenate([f.ids for f in items]))
    best, limits = readings[0].score, sets.context.settings.operators
    for found in readings:
        inside = np.intersect1d(found.ids, wanted)
        near = found.score >= best - limits.holds_near and found.surety.relevance >= limits.holds_relevance
        if len(inside) and near:
            if found is not readings[0] and same_kind(sets.context, items[0].ids, readings[0].ids):
                denied = _denied(sets, op, items[0], readings[0])  # who lived in one city was born in another
                if denied.truth == "no":
                    return denied
            if found.legs(int(inside[0])):
                return _stated(sets, found, int(inside[0]))
    if by_place is not None and open_:
        step = m.Step("among", f"{items[0].words} among {readings[0].words}: not stated", len(readings[0]), 0)
        around = by_place.inside
        return AssertionResult("unknown", around.reason, (), (*around.steps, step), around.surety)
    denied = _denied(sets, op, items[0], readings[0])
    return denied if denied.truth == "no" else _denied_by_like(sets, op, items[0], readings) or denied


def _denied_by_like(sets: Sets, op: m.Among, item: ThingSet, readings: Sequence[ThingSet]) -> AssertionResult | None:
    """No by a further relation that the phrase means as well, where what it leads to is called what is asked about: who
    is a member of one party is none of another one."""
    limits, best = sets.context.settings.operators, readings[0].score
    for found in readings[1:]:
        if not isinstance(op.of, m.Related) or found.score < best - limits.holds_near or not found.codes:
            continue
        if found.surety.relevance < limits.denies_relevance or not _plainly(sets, op.of, found):
            continue
        if (denied := _denied_from(sets, op, item, found, alike=True)) is not None:
            return denied
    return None


def _otherwise(sets: Sets, op: m.Where) -> AssertionResult | None:
    """No, where the value that decides is stated of what is named and does not meet the condition: who was born in 1947
    was not born in the fifties."""
    found = sets.best(op)
    if found is None or len(found) or found.unknown or found.unmet or op.condition.op in {"exists", "lacks"}:
        return None
    stated = next((t for t in reversed(found.trails) if isinstance(t, Valued)), None)
    if stated is None or len(stated.values) != 1:
        return None
    ((node, value),) = stated.values.items()
    words = f"stated otherwise: {_name(sets, node)}: {amount(value.literal)}"
    return AssertionResult("no", words, (((value.leg,), node),), found.steps, found.surety)


def _elsewhere(sets: Sets, item: ThingSet, by_place: Placement) -> AssertionResult | None:
    """No, where the relation has one place and that lies in another area of the kind."""
    if not _single(sets, by_place.codes[0]):
        return None
    node = next((n for n in item.ids.tolist() if n in by_place.elsewhere), None)
    if node is None:
        return None
    legs = by_place.elsewhere[node]
    lines = _names(sets, np.array([leg.object for leg in legs], np.int64))
    words = f"stated otherwise: {_name(sets, node)}: {lines}"
    step = m.Step("among", words, 1, 0)
    return AssertionResult("no", words, ((legs, node),), (*by_place.inside.steps, step), by_place.inside.surety)


def _single(sets: Sets, code: int) -> bool:
    """Whether the data show that a relation leads from a thing to one other."""
    limits = sets.context.settings.operators
    share, many = profile(sets.context.stored, sets.context.space.base).single(code)
    return share >= limits.single and many >= limits.single_subjects


def _stated(sets: Sets, found: ThingSet, node: int) -> AssertionResult:
    """Yes: a member, with the hops that lead to it."""
    words = f"{_name(sets, node)} among {found.words}"
    steps = (*found.steps, m.Step("among", f"{words}: yes", len(found), 1))
    return AssertionResult("yes", f"stated: {words}", ((found.legs(node), node),), steps, found.surety, found.unmet)


def _name(sets: Sets, node: int) -> str:
    return sets.context.entities([node])[node].node.name


def _denied(sets: Sets, op: m.Among, item: ThingSet, found: ThingSet) -> AssertionResult:
    """``no`` where the relation has one value and another one is stated; else not known."""
    limits = sets.context.settings.operators
    stated = _names(sets, found.ids)
    step = m.Step("among", f"{item.words} among {found.words}: not stated", len(found), 0)
    words, steps = f"{found.words}: {stated}" if stated else found.reason, (*found.steps, step)
    unknown = AssertionResult("unknown", words, (), steps, found.surety, found.unmet)
    if not isinstance(op.of, m.Related) or found.surety.relevance < limits.denies_relevance or not found.codes:
        return unknown
    if not _plainly(sets, op.of, found):
        return unknown
    alone = len(found) == 1 and not op.of.phrase.endswith(" in _")  # one of those founded in a country
    if alone and _single(sets, found.codes[0]) and not _inside(sets, item.ids, found.ids):
        words = f"stated otherwise: {found.words}: {stated}"
        node = int(found.ids[0])
        return AssertionResult(
            "no", words, ((found.legs(node), node),), (*found.steps, step), found.surety, found.unmet
        )
    return _denied_from(sets, op, item, found) or unknown


def _plainly(sets: Sets, op: m.Related, found: ThingSet) -> bool:
    """Whether the relation says just what the phrase says, or a word of it: who composed the music of a film is not who
    sang in it."""
    if found.surety.relevance >= sets.context.settings.operators.denies_plainly:
        return True
    text = {stem(t) for t in tokens(sets.context.space.text(found.codes[0]))}
    return not text.isdisjoint(stem(t) for t in tokens(op.phrase) if len(t) > _SHORT)


_SHORT: Final = 3
"""Letters of a word that says no relation alone: "for"."""


def _denied_from(
    sets: Sets, op: m.Among, item: ThingSet, found: ThingSet, *, alike: bool = False
) -> AssertionResult | None:
    """The same seen from the item: who was born in one place was not born in another. ``alike``: both must be called
    the same kind of thing."""
    assert isinstance(op.of, m.Related)
    code = reversed_code(found.codes[0], sets.context.space.base)
    if not _single(sets, code):
        return None
    other = follow(sets.context, item, tuple(reversed_code(c, sets.context.space.base) for c in found.codes))
    if other is None or not len(other):
        return None
    asked = sets.best(op.of.of)
    if asked is None or np.intersect1d(other.ids, asked.ids).size or _inside(sets, asked.ids, other.ids):
        return None
    if alike and not _called_alike(sets, asked.ids, other.ids):
        return None
    node = int(other.ids[0])
    space = sets.context.space
    words = f"stated otherwise: {item.words} — {phrase(space.key(code), space.text(code))} → {_names(sets, other.ids)}"
    step = m.Step("among", words, len(other), 0)
    return AssertionResult("no", words, ((other.legs(node), node),), (*found.steps, step), found.surety, found.unmet)


def _called_alike(sets: Sets, asked: Ids, stated: Ids) -> bool:
    """Whether everything is called by a noun that one of the asked things is called by: a party, and a party."""
    known = sets.context.entities([*asked.tolist(), *stated.tolist()])
    own = frozenset().union(*(heads_of(known[n]) for n in asked.tolist()))
    return all(own & heads_of(known[n]) for n in stated.tolist())


def _inside(sets: Sets, asked: Ids, stated: Ids) -> bool:
    """Whether one lies in the other: who was born in a city was born in its country."""
    around = holders(sets.context.snapshot, [*asked.tolist(), *stated.tolist()])
    names = sets.context.entities([*asked.tolist(), *stated.tolist()])
    one = {fold(names[n].node.name) for n in asked.tolist()}
    other = {fold(names[n].node.name) for n in stated.tolist()}
    return any(a in around.get(b, ()) or b in around.get(a, ()) or a == b for a in one for b in other)


def _names(sets: Sets, ids: Ids) -> str:
    names = sets.context.entities(ids[:20].tolist())
    return listed([names[n].node.name for n in ids[:20].tolist()])
