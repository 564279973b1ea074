"""How long what a row states lasted, where its table has no such column but says when it began and ended."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final

from hydra_kg.execution.own_graph import OwnGraph
from hydra_kg.language.morphology import singular
from hydra_kg.steps.queries.computed_columns import single_values, with_computed
from hydra_kg.steps.tables.column_dimensions import column_dimensions
from hydra_kg.steps.tables.graph_tables import Column, View
from hydra_kg.steps.tables.operation_words import QueryToken, cues
from hydra_kg.steps.tables.table_query import COMPUTED

_SAID: Final = frozenset({"duration", "length", "last", "lasted"})
"""Words of a question about how long something lasted, besides adjectives such as "long"."""
_LEAST: Final = 2
"""Rows with both days, from which these are taken for its beginning and its end."""
_UNITS: Final = {"minute": 60.0, "hour": 3600.0, "day": 86_400.0, "year": 365.2425 * 86_400}
"""Units of durations, in seconds."""
_YEARS: Final = 3
"""Years from which a duration is told in years, if all of a column are as long."""


def with_durations(view: View, words: list[QueryToken]) -> View:
    """Return a view that also has the time between the two dates of a table, for a question about how long it lasted.

    A table has such a column if it has two columns of days, of which one is never before the other, and no column of a
    length or a time of its own: from when a patient was admitted until when she was discharged.
    """
    lows, marks = [word.low for word in words], list(cues(words))
    time = "time" in lows and any(cue.say in COMPUTED for cue in marks)  # the average delivery time
    many = singular(lows[2]) if lows[:2] == ["how", "many"] and len(lows) > 2 else ""  # how many days it took
    said = any("duration" in cue.measures for cue in marks) or not _SAID.isdisjoint(lows)
    bounds = {cue.end + 1 for cue in marks if cue.say == "compare" and not cue.measures}
    bound = any(singular(low) in _UNITS and low not in view.spoken for k, low in enumerate(lows) if k in bounds)
    if not (said or time or bound or (many in _UNITS and many not in view.spoken)):  # more than 5 days
        return view
    names = (("length",), ("time",)) if time else (("length",),)
    stated = view.graph.relations
    for table in view.tables:
        columns = [c for c in view.of_table(table.place) if c.relation >= 0 and stated[c.relation].part_of < 0]
        dates = [c for c in columns if c.kind == "date"]
        if len(dates) != 2 or any("time" in column_dimensions(c) for c in columns):
            continue
        spans = view.once(("durations", table.place), partial(_seconds, view.graph, *dates))
        if not spans:
            continue
        begin, end = dates[::-1] if min(spans.values()) < 0 else dates
        unit, length = _choose_unit([abs(seconds) for seconds in spans.values()])
        also = (*names, (many,)) if many == unit and many not in view.spoken else names
        counts = {row: f"{round(abs(seconds) / length, 1):g}" for row, seconds in spans.items()}
        amounts = {row: f"{count} {unit}{'s' * (count != '1')}" for row, count in counts.items()}
        text = f"{unit}s from {begin.text} to {end.text}"
        view = with_computed(view, amounts, end, Column(table.place, -1, ("duration",), "number", (), text, also, unit))
    return view


def _seconds(graph: OwnGraph, one: Column, other: Column) -> dict[int, float]:
    """Return the time from one date to the other for each row with both; none if some are before and some after."""
    first, last = (_moments(graph, column) for column in (one, other))
    spans = {row: (last[row] - first[row]).total_seconds() for row in first.keys() & last.keys()}
    ordered = min(spans.values(), default=0) >= 0 or max(spans.values()) <= 0
    return spans if ordered and len(spans) >= _LEAST and any(spans.values()) else {}


def _choose_unit(seconds: Sequence[float]) -> tuple[str, float]:
    """Return the unit that tells some times well, with its seconds: minutes of a class, days of a stay."""
    whole = (
        "day" if all(n % _UNITS["day"] == 0 for n in seconds) else "minute" if max(seconds) < _UNITS["day"] else "hour"
    )
    unit = "year" if min(seconds) >= _YEARS * _UNITS["year"] else whole
    return unit, _UNITS[unit]


def _moments(graph: OwnGraph, column: Column) -> dict[int, datetime]:
    """Return the day or moment of each row that has just one."""
    days = dict[int, datetime]()
    for row, end in single_values(graph, column).items():
        try:
            days[row] = datetime.fromisoformat(graph.name(end)).replace(tzinfo=None)
        except ValueError:
            continue  # only a year or a month is stated
    return days
