"""Check whether those who are said to have done something existed then: nobody fights in a war before his birth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, Literal

import numpy as np

from hydra_kg.language.lexicon import lexicon_table
from hydra_kg.language.morphology import stem
from hydra_kg.plan import model as m
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.operand_port import Sets
from hydra_kg.steps.operators.results import thresholds
from hydra_kg.steps.operators.results.executed_plan import AssertionResult, Truth
from hydra_kg.steps.operators.results.found_entities import StatedValue, ThingSet, amount
from hydra_kg.steps.operators.values.attributes import attribute_of
from hydra_kg.util.fast_dataclass import dataclass, field

_LIFE: Final = 120.0  # years after which nobody lives whose death is not stated
_LIVING_SINCE: Final = 1900.0  # year before which nobody was born who lives today
_AFTER_DEATH: Final = 1.0  # years by which a date of a life may be off in a claim
_MADE_AFTER_DEATH: Final = 5.0  # years after a death in which what was made may come out
_RELEASED_AFTER_DEATH: Final = 100.0  # the same of what is said to be released then


Needs = Literal["overlap", "begun", "within"]

_BIRTH: Final = "date of birth"
_DEATH: Final = "date of death"
_BEGIN: Final = (
    "start time",
    "start date",
    "inception; date founded",
    "release date; publication date",
    "point in time; date",
)
_END: Final = ("end time", "end date", "dissolved, abolished or demolished date; date dissolved", "point in time")
"""Dates of things, in words; sources call one thing differently, so that each is asked for by itself."""

_RELEASING: Final = frozenset(map(stem, "release publish issue record print debut".split()))

_TODAY: Final = m.Condition("exists", "date", words="today")
_OFTEN: Final = 8
"""Meanings of a name whose dates are looked at."""


@dataclass(frozen=True, slots=True)
class Presence:
    """The years in which something existed: ``begin`` and ``end`` with their values. ``person``: it was born."""

    node: int
    name: str
    begin: float | None = None
    end: float | None = None
    person: bool = False
    values: tuple[tuple[str, StatedValue], ...] = field(default=())

    @property
    def words(self) -> str:
        """Return the time of existence in words."""
        stated = ", ".join(f"{what} {amount(v.literal)}" for what, v in self.values)
        return f"{self.name} {stated}"


def lived(sets: Sets, op: m.Lived) -> AssertionResult:
    """Return no if somebody was dead or not yet born at the time of what he is said to have done, else unknown."""
    there = _meant(sets.context, op.of)
    unknown = AssertionResult("unknown", f"whether {op.of.text} {op.verb} {op.during.words} is not stated")
    if not there or not there[0].person or not all(_gone(sets.context, p, op.during, op.verb) for p in there):
        return unknown
    return _no(f"{there[0].words}: not {op.during.words}", there[:1])


def dead(sets: Sets, op: m.Among) -> AssertionResult | None:
    """Return no if somebody who is said to do something today has died; None if his death is unknown."""
    who = op.item if isinstance(op.item, m.Named) else None
    there = _meant(sets.context, who) if who is not None else []
    if not there or not all(_gone(sets.context, p, _TODAY) for p in there):
        return None
    return _no(f"{there[0].words}: not today", there[:1])


def _gone(context: Context, there: Presence, during: m.Condition, verb: str = "") -> bool:
    if during.op == "exists":
        known = any(what == "died" for what, _ in there.values)
        return there.person and (known or (there.begin is not None and there.begin < _LIVING_SINCE))
    years = _RELEASED_AFTER_DEATH if stem(verb) in _RELEASING else _AFTER_DEATH
    late = there.end is not None and there.end + years <= during.low
    return late or (there.begin is not None and there.begin >= during.high)


def together(sets: Sets, op: m.Among) -> AssertionResult | None:
    """Return no if a claim needs two things that never coexisted, yes if an event lies within the other's time."""
    of = op.of
    if not isinstance(op.item, m.Named) or not isinstance(of, m.Related) or not isinstance(of.of, m.Named):
        return None
    needs, passive = _needs(of.phrase)
    if needs is None:
        return None
    one, other = _meant(sets.context, op.item), _meant(sets.context, of.of)
    if passive:
        one, other = other, one
    if not one or not other:
        return None
    if needs == "within":
        return _within(one, other)
    if all(_apart(sets.context, a, b, needs) for a in one for b in other):
        return _no(f"{one[0].words}; {other[0].words}: not at the same time", (one[0], other[0]))
    return None


def _within(one: Sequence[Presence], other: Sequence[Presence]) -> AssertionResult | None:
    """Return True if something took place within the time of something else that lasted."""
    first, time = one[0], other[0]
    if first.person or first.begin is None or time.begin is None or time.end is None:
        return None
    end = first.end if first.end is not None else first.begin
    if len(one) == 1 and time.begin <= first.begin and end <= time.end:
        words = f"{first.words}; {time.words}"
        return _decided("yes", words, (first, time))
    if all(_disjoint(a, b) for a in one for b in other):
        return _no(f"{first.words}; {time.words}: not within", (first, time))
    return None


def _disjoint(one: Presence, other: Presence) -> bool:
    """Return True if an event is known to be over before the other began, or to have begun after its end."""
    late = one.begin is not None and other.end is not None and one.begin >= other.end
    end = one.end if one.end is not None else one.begin
    return late or (end is not None and other.begin is not None and end <= other.begin)


def _apart(context: Context, who: Presence, what: Presence, needs: Needs) -> bool:
    """Return True if a person died before, or was born after, what the claim needs them for."""
    if not who.person:
        return False
    years = _MADE_AFTER_DEATH if needs == "begun" else _AFTER_DEATH
    dead = who.end is not None and what.begin is not None and who.end + years < what.begin
    over = what.begin if needs == "begun" else what.end
    return dead or (who.begin is not None and over is not None and who.begin >= over)


def _no(words: str, there: Sequence[Presence]) -> AssertionResult:
    return _decided("no", words, there)


def _decided(truth: Truth, words: str, there: Sequence[Presence]) -> AssertionResult:
    ways = tuple(((v.leg,), p.node) for p in there for _, v in p.values)
    return AssertionResult(truth, words, ways, (m.Step("times", words, len(there), 1),))


def _meant(context: Context, name: m.Named) -> list[Presence]:
    """Return when each meaning existed, likeliest first; meanings without dates are left out."""
    found = [_presence(context, n) for n in dict.fromkeys((name.node, *name.others[:_OFTEN]))]
    return [p for p in found if p.values] if found[0].values else []


def _presence(context: Context, node: int) -> Presence:
    name = context.entities([node])[node].node.name
    born = _date(context, node, _BIRTH)
    if born is not None:
        died = _date(context, node, _DEATH)
        begin, end = (_earliest(born), _latest(died) if died is not None else _earliest(born) + _LIFE)
        values = (("born", born), *((("died", died),) if died is not None else ()))
        return Presence(node, name, begin, end, True, values)
    begun = next((d for a in _BEGIN if (d := _date(context, node, a)) is not None), None)
    if begun is None:
        return Presence(node, name)
    ended = next((d for a in _END if (d := _date(context, node, a, last=True)) is not None), None)
    if ended is not None and ended.leg.code == begun.leg.code:
        ended = begun
    values = (("from", begun), *((("to", ended),) if ended is not None else ()))
    return Presence(node, name, _earliest(begun), None if ended is None else _latest(ended), False, values)


def _date(context: Context, node: int, attribute: str, *, last: bool = False) -> StatedValue | None:
    things = ThingSet(np.array([node], np.int64))
    found = attribute_of(context, things, attribute, "date", last=last)
    if found is None or found.fit < thresholds.TIMES_FIT:
        return None
    return found.values.get(node)


def _earliest(stated: StatedValue) -> float:
    return min(s.low for s in (stated.span, *stated.rivals))


def _latest(stated: StatedValue) -> float:
    return max(s.high for s in (stated.span, *stated.rivals))


def _needs(phrase: str) -> tuple[Needs | None, bool]:
    """Return what a phrase needs, and whether the name in it is the one who did it.

    "played soccer for _" needs both to exist at the same time. In "founded by _", the name is the one who did it.
    """
    words = [stem(w) for w in phrase.split()]
    if len(words) < 2 or words[-1] != "_":
        return None, False
    verb, last = words[0], words[-2]
    passive = last == "by"
    for text in _forms(words[:-1], verb, last) if not passive else iter((verb,)):
        if needs := _table().get(text):
            return needs, passive
    return None, False


def _forms(words: Sequence[str], verb: str, last: str) -> Iterator[str]:
    """Yield shorter forms of a phrase: "member of" for "be best known as member of", "play for", "tak plac during"."""
    yield " ".join(words)
    if len(words) > 1:
        yield f"{verb} {last}"
        yield " ".join(words[-2:])


@cache
def _table() -> dict[str, Needs]:
    rows = lexicon_table("lived")
    return {
        " ".join(map(stem, text.split())): needs  # type: ignore[misc]
        for needs, texts in rows
        for text in texts.split(", ")
    }
