"""Time between two events in tables: two questions for a date each, and the days, months or years between the answers.

Examples: "How many days passed between the admission and the discharge of Nina?", "How many years are there between
Salt and Low Water?", "How old was Nina when she was admitted?".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.plan.model import Difference
from hydra_kg.steps.composed_queries.differences import difference_answer, scalar_of
from hydra_kg.steps.context import Context
from hydra_kg.steps.operators.results.executed import Executed
from hydra_kg.steps.queries.answering import read_question
from hydra_kg.steps.queries.executing import TableReading
from hydra_kg.steps.tables import costs

_BETWEEN: Final = re.compile(
    r"(?:how many (?P<unit>years|months|weeks|days)|how long|how much time|what is the (?P<less>difference|time))"
    r"\b(?: \w+){0,3}? "
    r"(?:between|from|apart (?:are|were)) (?P<a>.+?) (?:and|to|until) (?P<b>.+)",
    re.IGNORECASE,
)
_AGES: Final = ("how old was ", "at what age was ")
_PRONOUNS: Final = ("he", "she", "it", "they")
_EVENTS: Final = {"of", "is", "was", "were"}
"""Words of a phrase that names an event: "the admission *of* Nina", "Nina *was* admitted"."""


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """Two questions for a date, and the unit of the time between them. `bare`: the questions name no event."""

    start: str
    end: str
    unit: str
    bare: bool = False
    forward: bool = False
    """Whether the first date must come first, as a birth does."""


def is_time_span(question: str) -> bool:
    """Return True if a question asks how much time lies between two events, or for an age at an event."""
    return next(time_spans(question), None) is not None


def time_spans(question: str) -> Iterator[TimeSpan]:
    """Yield the two questions for a date that a question consists of, likeliest first."""
    text = question.strip().rstrip("?.! ")
    start = next((begin for begin in _AGES if text.casefold().startswith(begin)), "")
    person, when, event = text[len(start) :].partition(" when ")
    if start and when:
        subject, _, said = event.partition(" ")
        event = f"{person} {said}" if subject.casefold() in _PRONOUNS else event
        yield TimeSpan(f"When was {person} born?", f"When {event}?", "years", forward=True)
    elif m := _BETWEEN.fullmatch(text):
        one, other = m["a"], m["b"]
        if not _names_event(one) and " of " in other:
            one = f"{one} of {other.partition(' of ')[2]}"
        bare = not (_names_event(one) or _names_event(other))
        if bare and m["less"]:
            return  # the difference between two things is that of a number
        ask = "What is the date of {}?" if bare else "What is {}?"
        yield TimeSpan(ask.format(one), ask.format(other), (m["unit"] or "days").casefold(), bare)


def _names_event(text: str) -> bool:
    return not _EVENTS.isdisjoint(text.casefold().split())


def time_between(graph: OwnGraph, context: Context) -> Executed | None:
    """Return the time between two events, or None if one of the two dates is not found."""
    for span in time_spans(context.question):
        dates = [_date_of(graph, context, asked, span.bare) for asked in (span.start, span.end)]
        one, other = dates
        if one is None or other is None or (span.forward and other[0] < one[0]):
            continue
        first, last = sorted((one[0], other[0]))
        amount = elapsed(first, last, span.unit)
        readings = (one[1], other[1]) if one[0] <= other[0] else (other[1], one[1])
        query = Difference(scalar_of(readings[1], "date"), scalar_of(readings[0], "date"), span.unit)
        said = f"{first} to {last}: {amount} {span.unit}"
        return difference_answer(context, readings, query, float(amount), said)
    return None


def elapsed(first: date, last: date, unit: str) -> int:
    """Return the number of whole days, weeks, months or years from one day to a later one."""
    if unit in ("days", "weeks"):
        return (last - first).days // (7 if unit == "weeks" else 1)
    months = (last.year - first.year) * 12 + last.month - first.month - (last.day < first.day)
    return months if unit == "months" else months // 12


def _date_of(graph: OwnGraph, context: Context, question: str, bare: bool) -> tuple[date, TableReading] | None:
    """Return the one day that a question finds, with its reading; events needed for several columns."""
    reading = read_question(graph, context, question)
    if reading is None or reading.cost > costs.DIFFERENCE_MOST or len(reading.result.values) != 1:
        return None
    if reading.query.unplaced:
        return None
    shown = reading.query.columns[:1]
    if bare and [c for c in reading.view.columns if shown and c.table == shown[0].table and c.kind == "date"] != shown:
        return None
    try:
        return date.fromisoformat(graph.name(reading.result.values[0])[:10]), reading
    except ValueError:
        return None
