"""Operators that choose things by a value: those that meet a condition, the first, the next, the greater of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Final

import numpy as np

from hydra_kg.language.number_words import ordinal
from hydra_kg.plan import model as m
from hydra_kg.steps.operators.operand_port import Sets
from hydra_kg.steps.operators.relations.completeness import larger, of_unknown_gender
from hydra_kg.steps.operators.relations.relation_matching import counted
from hydra_kg.steps.operators.relations.succession import adjacent_items, ordinals
from hydra_kg.steps.operators.results import thresholds
from hydra_kg.steps.operators.results.found_entities import (
    Flags,
    StatedValue,
    Surety,
    ThingSet,
    Trail,
    Valued,
    amount,
    listed,
    may_belong,
    step_of,
)
from hydra_kg.steps.operators.results.literal_intervals import Span, before
from hydra_kg.steps.operators.values.attributes import Attribute, attribute_of, of_death, of_life, wordings
from hydra_kg.steps.operators.values.value_existence import having
from hydra_kg.steps.operators.values.value_resolution import is_met
from hydra_kg.steps.operators.whole_lists import known_in_part, perhaps_between, stated_by_one, without_parts
from hydra_kg.util.fast_dataclass import dataclass, replace

_VALUED_GAIN: Final = 0.1  # gain of a reading that has a fitting value
_UNVALUED: Final = 0.1  # cost of a reading that has none

FIRST: Mapping[str, Mapping[str, str]] = {
    "date": {"max": "latest", "min": "earliest"},
    "number": {"max": "largest", "min": "smallest"},
}
"""What comes first in an order, by the kind of its values."""


def _some(sets: Sets, op: m.Things) -> list[ThingSet]:
    """Return the readings of a set whose values are looked at."""
    return sets.readings(op)[: thresholds.VALUED]


def where(sets: Sets, op: m.Where) -> list[ThingSet]:
    """Return the things whose value meets the condition. Those with an unknown value are counted and left out."""
    bases = _some(sets, op.of)
    if op.condition.op in ("exists", "lacks"):
        return [_having(sets, base, op) for base in bases]
    return [_meeting(sets, base, op) for base in bases]


def _meeting(sets: Sets, base: ThingSet, op: m.Where) -> ThingSet:
    condition_text = op.condition.words or wordings(op.attribute)[0]
    attribute = attribute_of(sets.context, base, op.attribute, op.condition.kind)
    if attribute is None:
        reason = base.reason or f"none of {len(base)} {base.words} has a stated {wordings(op.attribute)[0]}"
        step = step_of("where", condition_text, len(base), 0, unknown=len(base), what=wordings(op.attribute)[0])
        return _none(sets, base, reason, step, unmet=condition_text if len(base) else "")
    met = {n: is_met(attribute.values.get(n), op.condition) for n in base.ids.tolist()}
    keep: Flags = np.array([bool(met[n]) for n in base.ids.tolist()], np.bool_)
    unknown = tuple(n for n, is_met in met.items() if is_met is None)
    known = len(base) - len(unknown)
    what = attribute.text
    words = f"{base.words}, {what} {condition_text}"
    step = step_of("where", words, len(base), int(keep.sum()), unknown=len(unknown), what=what)
    reason = "" if keep.any() else f"none of {len(base)} {base.words} has a {what} {condition_text}"
    if not keep.any() and unknown:
        reason += f" ({len(unknown)} without one that could be compared)"
    return base.only(
        keep,
        trails=(*base.trails, Valued(attribute.values)),
        steps=(*base.steps, step),
        words=f"{base.words} {condition_text}",
        surety=base.surety.worst(Surety(attribute.fit, attribute.lead, 1.0, known / max(1, len(base)))),
        reason=base.reason or reason,
        score=base.score + _VALUED_GAIN * attribute.fit,
        decided=len(base) > 0,
        unknown=tuple(sorted({*base.unknown, *unknown})),
        sought=len(base) if unknown else base.sought,
        lacks=("" if of_death(op.attribute) else what) if unknown else base.lacks,
    )


def _having(sets: Sets, base: ThingSet, op: m.Where) -> ThingSet:
    """Select the things that have, or lack, any value of the attribute: "that have a website"."""
    has, trail, fit = having(sets.context, base, op.attribute)
    what, wanted = wordings(op.attribute)[0], op.condition.op == "exists"
    keep = has if wanted else ~has
    words = f"{base.words}, {'with' if wanted else 'without'} {what}"
    step = step_of("where", words, len(base), int(keep.sum()))
    if fit == 0.0:
        return _none(sets, base, f"no source states {what} of anything", step, unmet=op.condition.words or what)
    stated = f"no {what} is stated of {base.words}" if wanted else f"a {what} is stated of all: {base.words}"
    reason = "" if keep.any() else stated
    return base.only(
        keep,
        trails=(*base.trails, trail) if wanted else base.trails,
        steps=(*base.steps, step),
        words=words,
        reason=base.reason or reason,
        surety=base.surety.worst(Surety(relevance=fit)),
        score=base.score + _VALUED_GAIN * fit,
        decided=len(base) > 0,
    )


def _none(sets: Sets, base: ThingSet, reason: str, step: m.Step, *, unmet: str = "", decided: bool = False) -> ThingSet:
    keep = np.zeros(len(base), np.bool_)
    unmets, steps = (*base.unmet, *([unmet] if unmet else [])), (*base.steps, step)
    surety, score = base.surety.worst(Surety(coverage=0.0)), base.score - (0.0 if decided else _UNVALUED)
    return base.only(keep, reason=reason, steps=steps, unmet=unmets, surety=surety, score=score, decided=decided)


@dataclass(frozen=True, slots=True)
class Ranked:
    """An entity with its sort value."""

    node: int
    span: Span
    shown: str
    rivals: tuple[Span, ...] = ()


def extreme(sets: Sets, op: m.Extreme) -> list[ThingSet]:
    """Return the thing at a place of the order by a value, or by the number of things that relate to it."""
    return [_of_more(sets, b, _extreme(sets, b, op), op) for b in without_parts(op.of, _some(sets, op.of))]


def _of_more(sets: Sets, base: ThingSet, found: ThingSet, op: m.Extreme) -> ThingSet:
    """Return what was chosen, not checked where another relation states more, and of those another one comes first."""
    if len(found) != 1 or found.unmet or isinstance(op.of, m.Compare):
        return found
    doubt = perhaps_between(sets.context, op.of, base) or stated_by_one(sets.context, op.of, base, int(found.ids[0]))
    unmet = of_unknown_gender(sets.context, op.of, base)
    if (more := larger(sets.readings(op.of), base)) is not None:
        other = _extreme(sets, more, op)
        if len(other) == 1 and other.ids[0] != found.ids[0]:
            unmet = (*unmet, f"of all (by another relation {len(more)} are stated)")
    return replace(found, unmet=unmet, doubt=(*found.doubt, *(() if unmet else doubt)))


def _extreme(sets: Sets, base: ThingSet, op: m.Extreme) -> ThingSet:
    if len(base) == 0:
        return base
    in_turn = op.order == "min" and op.kind == "date" and not of_life(op.attribute)
    if in_turn and (stated := ordinals(sets.context, base, op)) is not None:
        numbers, series = stated
        keep: Flags = np.array([numbers.get(n) == op.rank for n in base.ids.tolist()], np.bool_)
        step = step_of("extreme", f"{base.words}, {series.text} {op.rank}", len(base), int(keep.sum()))
        if keep.sum() == 1:
            return _chosen(sets, base, keep, series, step, f"{series.text}: {op.rank}", len(numbers))
        if not keep.any():
            return _none(sets, base, f"no {series.text} {op.rank} is stated of {base.words}", step, decided=True)
    ranked = _lasting(sets, base, op) if op.since else _order(sets, base, op.attribute, op.kind, op.counted)
    order, attribute, what, trail = ranked
    if attribute is None:
        step = step_of("extreme", f"{base.words} by {what}", len(base), 0, unknown=len(base), what=what)
        return _none(sets, base, f"none of {len(base)} {base.words} has a stated {what}", step, unmet=what)
    names = sets.context.entities([r.node for r in order])
    order = sorted(order, key=lambda r: (r.span, r.node), reverse=op.order == "max")
    shown = listed([f"{names[r.node].node.name} {r.shown}" for r in order])
    unknown = len(base) - len(order)
    least = thresholds.EXTREME_KNOWN * len(base)
    if op.rank > len(order) or (len(order) < 2 <= len(base)) or len(order) < least:
        step = step_of("extreme", f"{base.words} by {what}", len(base), 0, unknown=unknown, what=what)
        reason = f"only {len(order)} of {len(base)} {base.words} have a stated {what}"
        return _none(sets, base, reason, step, decided=True)
    place = order[op.rank - 1]
    unclear = [r for i, r in enumerate(order) if r is not place and not _surely(order, op.rank - 1, i, op.order)]
    first = FIRST["date" if _dated(op, order) else "number"][op.order]
    place_of = f"{ordinal(op.rank)} " if op.rank > 1 else ""
    words = f"{base.words}, {place_of}{first} by {what}"
    if unclear:
        step = step_of("extreme", f"{words} ({shown})", len(base), 0, unknown=unknown, what=what)
        both = " and ".join(names[r.node].node.name for r in (place, *unclear[:2]))
        return _none(sets, base, f"{both} cannot be put in order by {what} ({shown})", step, decided=True)
    keep = base.ids == place.node
    step = step_of("extreme", f"{words} ({shown})", len(base), 1, unknown=unknown, what=what)
    if len(base) == 1 and not isinstance(op.of, m.Compare):
        base = replace(base, unmet=(*base.unmet, f"{first} (only one is stated)"))
    elif base.open:
        base = replace(base, unmet=(*base.unmet, f"{place_of}{first} of all (only {len(base)} are stated)"))
    if trail is not None:
        base = replace(base, trails=(*base.trails, trail))
    computed = f"{place_of}{first} by “{what}” of {len(order)}: {shown}"
    return _chosen(sets, base, keep, attribute, step, computed, len(order))


def _dated(op: m.Extreme, order: Sequence[Ranked]) -> bool:
    """Return True if the values are dates, which is read from them where the question leaves it open."""
    return op.kind == "date" or (op.kind == "any" and "-" in order[0].shown[1:])


def _surely(order: Sequence[Ranked], one: int, other: int, way: m.Order) -> bool:
    """Return True if the order of two places is certain."""
    first, second = (order[one], order[other]) if one < other else (order[other], order[one])
    less, more = (second, first) if way == "max" else (first, second)
    return before(less.span, more.span) is True


def _chosen(
    sets: Sets, base: ThingSet, keep: Flags, attribute: Attribute, step: m.Step, words: str, known: int
) -> ThingSet:
    share = known / max(1, len(base))
    surety = base.surety.worst(Surety(attribute.fit, attribute.lead, 1.0, share))
    few = share < thresholds.EXTREME_SURE
    lacking = (f"{len(base) - known} of {len(base)} without a stated {attribute.text}",) if few else ()
    return base.only(
        keep,
        trails=(*base.trails, Valued(attribute.values)) if attribute.values else base.trails,
        steps=(*base.steps, step),
        surety=surety,
        doubt=(*base.doubt, *may_belong(base), *lacking),
        unknown=(),
        score=base.score + _VALUED_GAIN * attribute.fit,
        computation=words,
    )


Order = tuple[list[Ranked], Attribute | None, str, Trail | None]
"""Things in no order yet, what they are to be put in order by, its words, and what else leads to it."""


def _lasting(sets: Sets, base: ThingSet, op: m.Extreme) -> Order:
    """Return the values by which things are put in order: the time from one of their dates to another."""
    what = f"time from {wordings(op.since)[0]} to {wordings(op.attribute)[0]}"
    since = attribute_of(sets.context, base, op.since, "date")
    until = attribute_of(sets.context, base, op.attribute, "date", last=True)
    if since is None or until is None:
        return [], None, what, None
    order = []
    for n in sorted(since.values.keys() & until.values.keys()):
        first, last = since.values[n].span, until.values[n].span
        span = Span(last.low - first.high, last.high - first.low)
        if span.high > 0:
            order.append(Ranked(n, span, f"{(span.low + span.high) / 2:.1f} years"))
    both = Attribute(until.values, what, min(since.fit, until.fit), min(since.lead, until.lead))
    return order, both, what, Valued(since.values)


def _order(sets: Sets, base: ThingSet, attribute: str, kind: m.ValueKind, phrase: str) -> Order:
    """Return the values by which things are put in order: of an attribute, else how many others relate to each."""
    context = sets.context
    if phrase and not attribute and (noun := _noun(phrase)):
        stated = attribute_of(context, base, f"number of {noun}", "number")
        if stated is not None and stated.fit >= thresholds.STATED_NUMBER and len(stated.values) == len(base):
            return (
                [Ranked(n, t.span, amount(t.literal), t.rivals) for n, t in stated.values.items()],
                stated,
                stated.text,
                None,
            )
    if attribute and (found := attribute_of(context, base, attribute, kind)) is not None:
        order = [Ranked(n, t.span, amount(t.literal), t.rivals) for n, t in found.values.items()]
        return order, found, found.text, None
    if phrase and (count := counted(context, base, m.Related(m.Named("", 0), phrase, _noun(phrase)))) is not None:
        trail, best = count
        order = [Ranked(n, Span(len(own), len(own)), str(len(own))) for n, own in trail.ends.items() if own]
        relation = Attribute({}, phrase, best.surety.relevance, best.surety.lead)
        return order, relation, _plain(phrase), trail
    return [], None, wordings(attribute)[0] if attribute else _plain(phrase), None


def _plain(phrase: str) -> str:
    """Return a phrase without the place of the operator below."""
    return " ".join(phrase.replace("_", " ").split())


def _noun(phrase: str) -> str:
    """Return the noun that a counting phrase counts: ``seasons of _`` → ``seasons``."""
    first = phrase.split(" ", 1)[0]
    return first if first != "_" else ""


def adjacent(sets: Sets, op: m.Adjacent) -> list[ThingSet]:
    """Return the thing that comes next after or before an item."""
    item = sets.best(op.item)
    if item is None or not len(item):
        return []
    if op.of is None:
        return adjacent_items(sets.context, item, op)
    out = [] if op.attribute else adjacent_items(sets.context, item, op, _some(sets, op.of))
    out += [_next(sets, base, item, op) for base in _some(sets, op.of)]
    return out


def _next(sets: Sets, base: ThingSet, item: ThingSet, op: m.Adjacent) -> ThingSet:
    node = int(item.ids[0])
    if not op.attribute and (stated := ordinals(sets.context, base, op)) is not None and node in stated[0]:
        numbers, attribute = stated
        keep: Flags = np.array([numbers.get(n) == numbers[node] + op.step for n in base.ids.tolist()], np.bool_)
        if keep.sum() == 1:
            words = f"{attribute.text}: {numbers[node] + op.step:g}"
            return _chosen(sets, base, keep, attribute, step_of("adjacent", words, len(base), 1), words, len(numbers))
    whole = base if node in base.ids.tolist() else replace(base, ids=np.union1d(base.ids, item.ids))
    order, attribute_found, what, _ = _order(sets, whole, op.attribute or TERM, "date", "")
    least = thresholds.TERM_FIT
    if not op.attribute and attribute_found is not None and attribute_found.fit < least:
        attribute_found = None  # when people were born does not say in which order they held a post
    own = next((r for r in order if r.node == node), None)
    where_to = "after" if op.step > 0 else "before"
    if attribute_found is None or own is None:
        step = step_of("adjacent", f"{base.words} {where_to} {item.words}", len(base), 0, unknown=len(base), what=what)
        return _none(sets, base, f"no source dates {item.words} among the {base.words}", step, unmet=f"{where_to} _")
    later = [r for r in order if r.node != node and _is_beyond(own, r, op.step)]
    names = sets.context.entities([r.node for r in order])
    later.sort(key=lambda r: (r.span, r.node), reverse=op.step < 0)
    shown = listed([f"{names[r.node].node.name} {r.shown}" for r in (own, *later)])
    step = step_of(
        "adjacent", f"{base.words} {where_to} {item.words} by {what} ({shown})", len(base), min(1, len(later))
    )
    if not later:
        return _none(
            sets, base, f"none of {len(base)} {base.words} is {where_to} {item.words} by {what}", step, decided=True
        )
    first, second = later[0], later[1] if len(later) > 1 else None
    if second is not None and before(*((first.span, second.span)[:: op.step])) is not True:
        both = f"{names[first.node].node.name} and {names[second.node].node.name}"
        return _none(sets, base, f"{both} cannot be put in order by {what} ({shown})", step, decided=True)
    chosen = _chosen(sets, base, base.ids == first.node, attribute_found, step, f"{what}: {shown}", len(order))
    return replace(chosen, doubt=(*chosen.doubt, *perhaps_between(sets.context, op.of or op.item, base)))


TERM = "start date; from; took office"


def _is_beyond(own: Ranked, other: Ranked, way: int) -> bool:
    return before(own.span, other.span) is True if way > 0 else before(other.span, own.span) is True


def compare(sets: Sets, op: m.Compare) -> list[ThingSet]:
    """Return the thing that has the most or least of a value."""
    choices = [sets.readings(t) for t in op.things]
    if any(not c for c in choices):
        return []
    sides = [_valued_side(sets, c, op) for c in choices]
    ids = np.unique(np.concatenate([s.ids for s in sides]))
    whole = ThingSet(
        ids,
        tuple(t for s in sides for t in s.trails),
        sum(s.score for s in sides),
        " and ".join(s.words for s in sides),
        tuple(x for s in sides for x in s.steps),
        tuple(u for s in sides for u in s.unmet),
        reduce(Surety.worst, [s.surety for s in sides]),
    )
    ranked = _extreme(sets, whole, m.Extreme(op, op.attribute, op.kind, op.order, 1, op.counted, op.since))
    if len(ranked) and ranked.surety.coverage < 1.0:
        lacking = f"{wordings(op.attribute or op.counted)[0]} of {_missing(sets, ranked, whole)}"
        return [_none(sets, whole, f"no source states {lacking}", ranked.steps[-1])]
    in_part = op.counted and len(ranked) and known_in_part(sets.context, _noun(op.counted))
    doubt = (*ranked.doubt, "whether these are all") if in_part else ranked.doubt
    return [replace(ranked, compared=tuple(ids.tolist()), doubt=doubt)]


def _missing(sets: Sets, ranked: ThingSet, whole: ThingSet) -> str:
    valued: Mapping[int, StatedValue] = next((t.values for t in reversed(ranked.trails) if isinstance(t, Valued)), {})
    names = sets.context.entities(whole.ids.tolist())
    return ", ".join(names[n].node.name for n in whole.ids.tolist() if n not in valued) or "one of them"


def _valued_side(sets: Sets, readings: Sequence[ThingSet], op: m.Compare) -> ThingSet:
    """Return the first reading of a side that has the value: "Fargo" is the film where lengths are compared."""
    for reading in readings[: thresholds.VALUED]:
        if not len(reading):
            continue
        kind = "date" if op.since else op.kind
        if op.attribute and attribute_of(sets.context, reading, op.attribute, kind) is not None:
            return reading
        if op.counted and counted(sets.context, reading, m.Related(m.Named("", 0), op.counted, _noun(op.counted))):
            return reading
    return readings[0]
