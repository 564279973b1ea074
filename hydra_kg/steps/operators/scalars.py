"""Values that a plan asks for or compares: a stated value, a number of things, the years between two dates."""

from __future__ import annotations

from datetime import date
from typing import Final

import numpy as np

from hydra_kg.execution.evidence_hops import Leg
from hydra_kg.execution.value_differences import OLDEST
from hydra_kg.language.morphology import stem
from hydra_kg.plan import model as m
from hydra_kg.steps.context import Context
from hydra_kg.steps.graph.cut_hops import HopGraph
from hydra_kg.steps.operators.operand_port import Sets
from hydra_kg.steps.operators.relations.completeness import is_one_work, larger, of_unknown_gender
from hydra_kg.steps.operators.relations.noun_filter import fit, kinds_of_thing
from hydra_kg.steps.operators.results import thresholds
from hydra_kg.steps.operators.results.found_entities import (
    SURE,
    Hopped,
    Surety,
    ThingSet,
    amount,
    listed,
    may_belong,
    number,
    step_of,
)
from hydra_kg.steps.operators.results.literal_intervals import DAY, Span, before, date_span, years_between
from hydra_kg.steps.operators.values.attributes import attribute_of, of_life, wordings
from hydra_kg.steps.operators.values.value_existence import having
from hydra_kg.steps.operators.values.value_resolution import YEARLY
from hydra_kg.steps.operators.whole_lists import listing, perhaps_not_all
from hydra_kg.util.fast_dataclass import dataclass, replace

_COUNT_KNOWN: Final = 0.5  # share of what is counted whose condition must be known
_YEARS_OPEN: Final = 0.5  # surety of a number of years that partial dates leave open


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value: its literal ("" if it was computed), its name, and the ways to it with their classes.

    ``words`` describes the computation.
    """

    span: Span
    shown: str
    literal: str = ""
    ways: tuple[tuple[tuple[Leg, ...], int], ...] = ()
    steps: tuple[m.Step, ...] = ()
    surety: Surety = SURE
    words: str = ""
    unmet: tuple[str, ...] = ()
    rivals: tuple[Span, ...] = ()
    doubt: tuple[str, ...] = ()
    undated: tuple[Span, ...] = ()

    @property
    def several(self) -> tuple[str, ...]:
        """Return what is open about one of many numbers without a date: the population in which year.

        Two are not many: they may be those of two sources in one file.
        """
        return (f"which of {len(self.undated)} numbers without a date is meant",) if len(self.undated) > 2 else ()

    @property
    def possible(self) -> tuple[Span, ...]:
        """Return what the value may be; of a series of years, which mostly grows, the greater half."""
        ordered = sorted(self.undated, reverse=True)
        return (self.span, *self.rivals, *(ordered[: len(ordered) // 2] if len(ordered) >= YEARLY else ordered))


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that is missing, with the reason. ``decided``: the plan was understood and nothing is stated."""

    reason: str
    steps: tuple[m.Step, ...] = ()
    unmet: tuple[str, ...] = ()
    decided: bool = True


def scalar(sets: Sets, op: m.Scalar) -> Scalar | Missing:
    """Return the value of an operator."""
    match op:
        case m.Constant():
            return Scalar(_constant(op), op.words, surety=Surety())
        case m.Today():
            return Scalar(_today(), f"{date.today()}", surety=Surety())
        case m.Value():
            return _value(sets, op)
        case m.Count():
            return _count(sets, op)
        case m.Difference():
            return _difference(sets, op)
        case m.Aggregate() | m.Ratio() | m.LongestRun():
            return Missing("it is computed over your own tables only")


def _constant(op: m.Constant) -> Span:
    whole = op.kind == "date" and op.number == int(op.number)
    return Span(op.number, op.number + 1.0) if whole else Span(op.number, op.number + (DAY if op.kind == "date" else 0))


def _today() -> Span:
    today = date_span(f'"{date.today()}"^^xsd:date')
    assert today is not None
    return today


def _value(sets: Sets, op: m.Value) -> Scalar | Missing:
    some = sets.readings(op.of)[: thresholds.VALUED]
    readings = [f for f in some if len(f)]
    what = f"{wordings(op.attribute)[0]} {op.during.words if op.during else ''}".strip()
    if not readings:
        best = sets.best(op.of)
        return Missing(best.reason if best else f"nothing that {what} could be of", decided=False)
    for found in readings:
        attribute = attribute_of(sets.context, found, op.attribute, op.kind, during=op.during)
        if attribute is None or not attribute.values or len(found) > 1:
            continue
        node = int(found.ids[0])
        stated = attribute.values[node]
        name = sets.context.entities([node])[node].node.name
        when = f" ({amount(stated.when)})" if stated.when else ""
        words = f"{name} {attribute.text} {amount(stated.literal)}{when}"
        value = Scalar(
            stated.span,
            amount(stated.literal),
            stated.literal,
            (((*found.legs(node), stated.leg), node),),
            (*found.steps, m.Step("value", words, 1, 1)),
            found.surety.worst(Surety(attribute.fit, attribute.lead)),
            words,
            (),
            stated.rivals,
            found.doubt,
            stated.undated,
        )
        return replace(value, unmet=(*found.unmet, *value.several))
    return Missing(f"no source states the {what} of {readings[0].words}", readings[0].steps, readings[0].unmet)


def _count(sets: Sets, op: m.Count) -> Scalar | Missing:
    """Return a stated number of the things, or else the number of those that are known."""
    if op.stated and isinstance(op.of, m.Related):
        value = _value(sets, m.Value(op.of.of, op.stated, "number"))
        fits = isinstance(value, Scalar) and value.surety.relevance >= thresholds.STATED_NUMBER
        if isinstance(value, Scalar) and fits and not _of_others(op.stated, value.words):
            return value
    found = sets.best(op.of)
    if found is None:
        return Missing("no relation of these sources says what is counted", decided=False)
    if not len(found) and not isinstance(op.of, m.Where | m.Both | m.Without):
        return Missing(found.reason or f"no {found.words} is stated", found.steps, found.unmet)
    if found.surety.coverage < _COUNT_KNOWN:
        return Missing(f"of too few {found.words} this is stated", found.steps, found.unmet)
    if op.times:
        often = _how_often(found)
        if isinstance(often, Missing):
            return often
        return replace(often, doubt=(*found.doubt, *perhaps_not_all(sets, op.of, found, int(often.span.low))))
    names = sets.context.entities(found.ids.tolist())
    distinct: dict[str, int] = {}
    for n in found.ids.tolist():
        distinct.setdefault(names[n].node.name.casefold(), n)
    shown = listed([names[n].node.name for n in distinct.values()])
    words = f"{len(distinct)} counted: {shown}" if distinct else found.reason
    shown_ids = list(distinct.values()) or _looked_through(found)
    ways = tuple((found.legs(n), n) for n in shown_ids[:COUNTED])
    number_of = Span(float(len(distinct)), float(len(distinct)))
    step = step_of("count", "counted", len(found), len(distinct))
    unmet = (*found.unmet, *_perhaps_more(sets, op.of, found), *of_unknown_gender(sets.context, op.of, found))
    awards = fit(sets.context, found.ids, "award")
    if awards is not None and awards.right.all() and not _of_a_work(sets, op.of):
        unmet = (*unmet, "how often each was won")  # that she won one of its name does not say how many
    doubt = (*found.doubt, *may_belong(found))
    more = () if unmet else perhaps_not_all(sets, op.of, found, len(distinct))
    doubt = (*(d for d in doubt if d not in unmet), *more)
    steps = (*found.steps, step)
    return Scalar(number_of, str(len(distinct)), "", ways, steps, found.surety, words, unmet, doubt=doubt)


_NUMBER_OF: Final = "number of "


def _of_others(asked: str, said: str) -> bool:
    """Return True if a stated number counts other things than those asked for: siblings are no children."""
    stated = said.partition(_NUMBER_OF)[2].split()
    wanted = wordings(asked)[0].partition(_NUMBER_OF)[2].split()
    return bool(stated and wanted) and stem(stated[0]) not in {stem(w) for w in wanted}


def _of_a_work(sets: Sets, op: m.Things) -> bool:
    """Return True if something is counted of works, each of which wins an award of one name once."""
    bases = [base for one in listing(op) if (base := sets.best(one.of)) is not None]
    return any("work" in kinds_of_thing(e) for b in bases for e in sets.context.entities(b.ids.tolist()).values())


def _perhaps_more(sets: Sets, op: m.Things, found: ThingSet) -> tuple[str, ...]:
    """Return what was not checked about a count: whether there are more."""
    if (more := larger(sets.readings(op), found)) is not None:
        return (f"whether these are all (by another relation {len(more)} are stated)",)
    short = found.open or is_one_work(op, len(found))
    return (f"whether these are all (only {len(found)} {'is' if len(found) == 1 else 'are'} stated)",) if short else ()


def _looked_through(found: ThingSet) -> list[int]:
    """Return the things among which none was found; that they do not meet the condition is the evidence."""
    first = next((t for t in found.trails if isinstance(t, Hopped)), None)
    return np.unique(first.end).tolist() if first is not None else []


def _how_often(found: ThingSet) -> Scalar | Missing:
    """Return the number of statements that lead to what was found.

    Those of one relation count, because two sources state a thing in two relations.
    """
    trail = next((t for t in reversed(found.trails) if isinstance(t, Hopped)), None)
    often = 0
    if trail is not None:
        rows = np.isin(trail.end, found.ids) & (trail.via >= 0)
        often = max((len(np.unique(trail.via[rows & (trail.code == c)])) for c in trail.best), default=0)
    if not often:
        reason = f"that it is stated of {found.words} does not say how often"
        return Missing(reason, found.steps, (*found.unmet, "how many times"), decided=False)
    words = f"stated {often} time{'s' if often > 1 else ''}: {found.words}"
    ways = tuple((found.legs(n), n) for n in found.ids.tolist()[:COUNTED])
    step = step_of("count", "counted", len(found), often)
    span = Span(float(often), float(often))
    return Scalar(span, str(often), "", ways, (*found.steps, step), found.surety, words, found.unmet)


COUNTED: Final = 8
"""Things of a count whose ways are evidence."""


def _difference(sets: Sets, op: m.Difference) -> Scalar | Missing:
    """Return the difference of two values, or an age on a day, as an interval where dates are partial."""
    op, doubtful = _of_whom(sets, op)
    high, low = scalar(sets, op.high), scalar(sets, op.low)
    if isinstance(high, Missing):
        return high
    if isinstance(low, Missing):
        return low
    alive = ""
    if isinstance(op.high, m.Today) and isinstance(op.low, m.Value):
        if (dead := _dead(sets, low)) is not None:
            return dead
        alive = f"alive on {high.shown}"
    elif _at_an_event(op) and (over := _over(sets, low, high)) is not None:
        return over
    ways, steps = high.ways + low.ways, high.steps + low.steps
    surety = high.surety.worst(low.surety)
    if op.unit == "years" and high.span.high > high.span.low:
        least, most = _years(high, low)
        text = str(least) if least == most else f"{least} or {most}"
        words = f"{_side(high)} − {_side(low)}: {'about ' if least != most else ''}{text} years"
        exact = least == most
        shown = text if exact else f"about {most}"
        if most < 0:
            return Missing(f"{_side(high)} is before {_side(low)}", steps)
        step = m.Step("difference", words, 2, 1)
        sure = surety if exact else surety.worst(Surety(coverage=_YEARS_OPEN))
        unmet, doubt = high.unmet + low.unmet, (*high.doubt, *low.doubt, *doubtful, *([alive] if alive else []))
        return Scalar(Span(least, most), shown, "", ways, (*steps, step), sure, words, unmet, doubt=doubt)
    difference = high.span.low - low.span.low
    words = f"{high.words} − {low.words}: {number(difference)}"
    step = m.Step("difference", words, 2, 1)
    value = Span(difference, difference)
    unmet, doubt = high.unmet + low.unmet, high.doubt + low.doubt
    return Scalar(value, number(difference), "", ways, (*steps, step), surety, words, unmet, doubt=doubt)


def _dead(sets: Sets, born: Scalar) -> Missing | None:
    """Return why somebody with a date of birth has no age today, or None if nothing says that he is dead."""
    person = ThingSet(np.array([node for _, node in born.ways], np.int64))
    if having(sets.context, person, "date of death")[0].any():
        return Missing(f"not alive today: a death is stated, and {born.words}", born.steps)
    if _today().low - born.span.low > OLDEST:
        return Missing(f"no death is stated, but hardly alive today: {born.words}", born.steps)
    return None


def _of_whom(sets: Sets, op: m.Difference) -> tuple[m.Difference, tuple[str, ...]]:
    """Return the age at the event that concerns the person, of several events of this name."""
    if not _at_an_event(op) or not isinstance(op.high, m.Value) or not isinstance(op.low, m.Value):
        return op, ()
    if not isinstance(op.high.of, m.Named) or not isinstance(op.low.of, m.Named):
        return op, ()
    named, doubtful = linked_reading(sets.context, op.high.of, op.low.of)
    return replace(op, high=replace(op.high, of=named)), doubtful


def _at_an_event(op: m.Difference) -> bool:
    """Return True if the age at an event is asked for that is no date of the person's life."""
    if not isinstance(op.high, m.Value) or not isinstance(op.low, m.Value) or op.unit != "years":
        return False
    return of_life(op.low.attribute) and not of_life(op.high.attribute)


def _over(sets: Sets, born: Scalar, high: Scalar) -> Missing | None:
    """Return why somebody had no age at an event: he had died before. Returns None if nothing says so."""
    person = ThingSet(np.array([node for _, node in born.ways], np.int64))
    died = attribute_of(sets.context, person, "date of death; death date", "date") if len(person) == 1 else None
    if died is None or not died.values or died.fit < thresholds.TIMES_FIT:
        return None
    death = next(iter(died.values.values()))
    if before(death.span, high.span) is not True:
        return None
    return Missing(f"not alive then: died {amount(death.literal)}, and {high.words}", born.steps)


def _years(high: Scalar, low: Scalar) -> tuple[int, int]:
    found = [years_between(a, b) for a in (low.span, *low.rivals) for b in (high.span, *high.rivals)]
    return min(f[0] for f in found), max(f[1] for f in found)


def _side(value: Scalar) -> str:
    return value.words or value.shown


def linked_reading(context: Context, named: m.Named, other: m.Named) -> tuple[m.Named, tuple[str, ...]]:
    """Return the readings of the name one hop from ``other``, if any, and a doubt if there are several."""
    nodes = [named.node, *named.others]
    if len(nodes) < 2:
        return named, ()
    cut = context.snapshot.cut([other.node], depth=1)
    graph = HopGraph(cut.of_loads(context.segments()), predicates=context.space.base // 2)
    start = graph.local(np.array([other.node], np.int64))
    around = set(graph.ids[graph.walk(start[start >= 0]).end].tolist())
    linked = [n for n in nodes if n in around]
    if not linked:
        return named, ()
    doubt = (f"which “{named.text}” is meant ({len(linked)} have that name)",) if len(linked) > 1 else ()
    return replace(named, node=linked[0], others=tuple(linked[1:])), doubt
