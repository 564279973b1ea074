"""Resolves several values of one entity to one: partial dates, units, time series."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Final

from hydra_kg.execution.evidence_hops import Leg
from hydra_kg.plan.model import Condition
from hydra_kg.steps.operators.results.found_entities import StatedValue
from hydra_kg.steps.operators.results.literal_intervals import CLOSE, Span, date_span, meets
from hydra_kg.util.fast_dataclass import dataclass

_LONG_LIST: Final = 6
YEARLY: Final = 10
"""Numbers without dates from which a list is taken for a series of years, which grow."""
_OUTLIER: Final = 5.0
"""How many times the largest step of a list the step to an outlier is."""

Row = tuple[Span, str, Leg, str]
"""What a value may mean, its literal, the hop that states it, and its time as a literal or ""."""


@dataclass(frozen=True, slots=True)
class _Same:
    """A cluster of compatible values, most precise first."""

    rows: tuple[Row, ...]

    @property
    def span(self) -> Span:
        return self.rows[0][0]

    @property
    def loads(self) -> frozenset[int]:
        return frozenset(segment for _, _, leg, _ in self.rows for segment, _ in leg.handles[-1:])


def settled(rows: Sequence[Row], *, last: bool) -> StatedValue:
    """Return the value of a thing that decides.

    Of dates, it is the first (or with ``last`` the latest). Of numbers, it is the latest, then the commonest, then the
    largest.
    """
    series = [r for r in rows if r[3]]
    if series and len({r[3] for r in series}) > 1:
        newest = max(date_span(r[3]) or Span(-math.inf, -math.inf) for r in series)
        rows = [r for r in series if date_span(r[3]) == newest]
    dates = rows[0][0].high > rows[0][0].low
    same = _dates(rows) if dates else _without_other_units(_numbers(rows))
    listing = len({load for s in same for load in s.loads}) < sum(len(s.loads) for s in same)
    if dates and listing:
        same = sorted(same, key=lambda s: s.span, reverse=last)
    else:
        same = sorted(same, key=lambda s: (-len(s.loads), -s.span.low if not dates else s.span.low))
        same = same if dates else _without_outlier(same)
    best = same[0]
    rivals = () if listing else tuple(s.span for s in same[1:])
    span, literal, leg, when = best.rows[0]
    handles = tuple(dict.fromkeys(h for _, _, other, _ in best.rows if other.via == leg.via for h in other.handles))
    whole = Leg(leg.subject, leg.code, leg.object, literal, leg.via, handles)
    undated = tuple(s.span for s in same) if listing and not dates and not when else ()
    return StatedValue(span, literal, whole, when, rivals, undated)


def is_met(stated: StatedValue | None, condition: Condition) -> bool | None:
    """Return whether a value meets a condition; None if it is unknown, or sources differ so that it matters.

    It is unknown too if most of a few numbers without dates say otherwise; of a series of years the greatest is last.
    """
    if stated is None:
        return None
    met = {meets(span, condition) for span in (stated.span, *stated.rivals)}
    agreed = met.pop() if len(met) == 1 else None
    agreeing = sum(meets(span, condition) == agreed for span in stated.undated)
    return agreed if 2 * agreeing >= len(stated.undated) or len(stated.undated) >= YEARLY else None


def _dates(rows: Sequence[Row]) -> list[_Same]:
    """Return clusters of dates that may be one, exact dates first; a partial date joins every exact one in it."""
    ordered = sorted(rows, key=lambda r: (round(r[0].high - r[0].low, 6), r[0], r[1]))
    found: list[list[Row]] = []
    for row in ordered:
        mine = [own for own in found if own[0][0].agrees(row[0])]
        for own in mine:
            own.append(row)
        if not mine:
            found.append([row])
    return [_Same(tuple(own)) for own in found]


def _numbers(rows: Sequence[Row]) -> list[_Same]:
    """Return clusters of numbers that differ only by rounding or by what is counted in."""
    found: list[list[Row]] = []
    for row in sorted(rows, key=lambda r: (r[0], r[1])):
        mine = next((own for own in found if own[0][0].agrees(row[0])), None)
        if mine is not None:
            mine.append(row)
        else:
            found.append([row])
    return [_Same(tuple(own)) for own in found]


def _without_other_units(same: Sequence[_Same]) -> list[_Same]:
    """Return the numbers that do not repeat another in a smaller unit, such as square metres for square kilometres."""
    same_unit = []
    for s in same:
        smaller = [o.span.low for o in same if 0 < o.span.low < s.span.low]
        if not any(_thousands(s.span.low / low) for low in smaller):
            same_unit.append(s)
    return same_unit


def _without_outlier(same: Sequence[_Same]) -> list[_Same]:
    """Return numbers, largest first, without a largest one that lies far above a long list that climbs in small steps.

    Example: a population of 17.1 million above 60 between 8.6 and 10.6 million.
    """
    numbers = sorted((s.span.low for s in same), reverse=True)
    if len(numbers) < _LONG_LIST or numbers[-1] <= 0:
        return list(same)
    steps = [above / below - 1 for above, below in itertools.pairwise(numbers)]
    outlier = steps[0] > _OUTLIER * max(steps[1:])
    return [s for s in same if s.span.low != numbers[0]] if outlier else list(same)


def _thousands(ratio: float) -> bool:
    """Return True if a ratio is a thousand, a million, …."""
    power = round(math.log10(ratio) / 3) if ratio > 100 else 0
    return power > 0 and abs(ratio / 1000**power - 1) <= CLOSE
