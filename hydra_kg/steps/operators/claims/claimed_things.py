"""Check whether the things of a claim exist ("_ wrote several novels"), and existed when they did something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from hydra_kg.language.lexicon import list_words
from hydra_kg.language.morphology import family_stem, stem
from hydra_kg.plan import model as m
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.claims.claim_wording import stated_by_name
from hydra_kg.steps.operators.operand_port import Sets
from hydra_kg.steps.operators.relations.noun_filter import kinds_of_thing
from hydra_kg.steps.operators.results import thresholds
from hydra_kg.steps.operators.results.executed_plan import AssertionResult, Truth
from hydra_kg.steps.operators.results.found_entities import StatedValue, ThingSet, amount, listed, step_of
from hydra_kg.steps.operators.values.attributes import attribute_of
from hydra_kg.util.fast_dataclass import dataclass, field

_MAKING: Final = list_words("making_stem")
_SHOWN: Final = 3
"""Things whose ways are evidence."""
_SOME_KINDS: Final = 0.5  # surety of kinds over which a claim of some things is true
_LIFE: Final = 120.0  # years after which nobody lives whose death is not stated
_LIVING_SINCE: Final = 1900.0  # year before which nobody was born who lives today
_AFTER_DEATH: Final = 1.0  # years by which a date of a life may be off in a claim
_RELEASED_AFTER_DEATH: Final = 100.0  # the same of what is said to be released then
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


def some(sets: Sets, op: m.Some) -> AssertionResult:
    """Return yes if a matching relation states as many as are claimed, else unknown: sources need not state all."""
    if op.named and isinstance(op.of, m.Related):
        unstated = f"nothing that is stated of it is called {op.of.noun}"
        return stated_by_name(sets, op.of) or AssertionResult("unknown", unstated, understood=False)
    found = sets.best(op.of)
    if found is None:
        return AssertionResult("unknown", "no relation of these sources states it", understood=False)
    known = sets.context.entities(found.ids.tolist())
    distinct = {known[n].node.name.casefold(): n for n in reversed(found.ids.tolist())}
    shown = list(distinct.values())[::-1]
    step = step_of("some", found.words, len(found), len(shown))
    words = f"{len(shown)} stated: {found.words}: {listed([known[n].node.name for n in shown])}"
    steps = (*found.steps, step)
    enough = len(shown) >= op.least and not found.unmet
    if not enough or found.surety.relevance < thresholds.DENIES_RELEVANCE or found.surety.kinds <= _SOME_KINDS:
        return AssertionResult("unknown", found.reason or words, (), steps, found.surety, found.unmet)
    ways = tuple((found.legs(n), n) for n in shown[: max(op.least, _SHOWN)])
    return AssertionResult("yes", words, ways, steps, found.surety)


def made_person(sets: Sets, op: m.Among) -> AssertionResult | None:
    """Return that it is not stated if what was written, painted or composed is a person, and the maker is not."""
    of = op.of
    words = of.phrase.split() if isinstance(of, m.Related) else []
    if not isinstance(of, m.Related) or words[-1:] != ["_"] or family_stem(words[0]) not in _MAKING:
        return None
    ends = [sets.best(op.item), sets.best(of.of)]
    made, maker = ends if "by" in words else ends[::-1]
    if made is None or maker is None or not len(made) or not len(maker):
        return None
    known = sets.context.entities(np.concatenate([made.ids, maker.ids]).tolist())
    kinds = [frozenset().union(*(kinds_of_thing(known[n]) for n in end.ids.tolist())) for end in (made, maker)]
    if "person" not in kinds[0] or "person" in kinds[1]:
        return None
    return AssertionResult("unknown", f"the sources call {made.words} a person, no work of {maker.words}")


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
